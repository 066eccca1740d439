module manytasks

go 1.18
