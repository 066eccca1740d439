/* SPDX-License-Identifier: MIT */
/* A flame graph, after Brendan Gregg's (ACM Queue 14(2), 2016): boxes as wide as their time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/waits/intern.h"
#include "report.h"

enum {
    WIDTH = 1200, /* all in pixels */
    ROW = 17,
    MARGIN = 10,
    HEAD = 40,
    LETTER = 7, /* of the font, on average */
    DEEPEST = REPORT_DEPTH
};
#define SMALLEST 0.3 /* pixels: what is narrower is left out */

struct node {
    const char *name;
    double ns;
    struct node *first, *next; /* child; sibling */
};

/* --- The tree --------------------------------------------------------------------------------- */

static struct node *child_of(struct node *parent, const char *name)
{
    struct node **at = &parent->first;

    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at == NULL) {
        *at = calloc(1, sizeof **at);
        if (*at == NULL)
            abort();
        (*at)->name = name;
    }
    return *at;
}

static void build(struct node *root, const struct waits_view *v, enum report_side side)
{
    const char *names[REPORT_DEPTH];

    for (unsigned i = 0; i < v->count; i++)
        for (unsigned s = 0; s < v->locks[i]->site_count; s++) {
            const struct waits_site *site = &v->locks[i]->sites[s];
            unsigned count = report_names(v->locks[i], site, side, names);
            struct node *n = root;
            if (count == 0)
                continue;
            root->ns += site->ns;
            for (unsigned f = 0; f < count; f++) {
                n = child_of(n, names[f]);
                n->ns += site->ns;
            }
        }
}

static unsigned depth_of(const struct node *n, double scale)
{
    unsigned deepest = 0;

    for (const struct node *c = n->first; c != NULL; c = c->next) {
        unsigned depth = c->ns * scale < SMALLEST ? 0 : 1 + depth_of(c, scale);
        if (depth > deepest)
            deepest = depth;
    }
    return deepest;
}

static void free_children(struct node *n)
{
    for (struct node *c = n->first, *next; c != NULL; c = next) {
        next = c->next;
        free_children(c);
        free(c);
    }
}

/* --- The picture ------------------------------------------------------------------------------ */

/* Of the same name always the same: warm ones, and cold ones for locks. */
static void put_colour(FILE *out, const char *name)
{
    unsigned hash = (unsigned)intern_hash_text(0, name);

    if (name[0] == '[')
        fprintf(out, "rgb(%u,%u,%u)", 90 + hash % 50, 150 + hash / 64 % 50, 215 + hash / 4096 % 40);
    else
        fprintf(out, "rgb(%u,%u,%u)", 215 + hash % 40, 110 + hash / 64 % 90, 60 + hash / 4096 % 40);
}

static void put_box(FILE *out, const struct node *n, double x, double y, double width, double all)
{
    int letters = (int)(width - 4) / LETTER, length = (int)strlen(n->name);

    fprintf(out, "<g><title>");
    report_escape(out, n->name);
    fprintf(out,
            ": %.3f s, %.1f %%</title><rect x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%d\""
            " rx=\"2\" fill=\"",
            n->ns / 1e9, 100 * n->ns / all, x, y, width > 0.6 ? width - 0.5 : width, ROW - 1);
    put_colour(out, n->name);
    fprintf(out, "\"/>");
    if (letters >= 3) {
        char *text = strndup(n->name, (size_t)(letters < length ? letters - 2 : length));
        /* Not in the middle of a character. */
        size_t end = text != NULL ? strlen(text) : 0;
        while (letters < length && end > 0 && (n->name[end] & 0xc0) == 0x80)
            text[--end] = '\0';
        fprintf(out, "<text x=\"%.1f\" y=\"%.0f\">", x + 3, y + ROW - 5);
        report_escape(out, text != NULL ? text : "");
        fprintf(out, "%s</text>", letters < length ? ".." : "");
        free(text);
    }
    fprintf(out, "</g>\n");
}

static void put_children(FILE *out, const struct node *n, double x, double bottom, double scale,
                         double all)
{
    for (const struct node *c = n->first; c != NULL; c = c->next) {
        double width = c->ns * scale;
        if (width >= SMALLEST) {
            put_box(out, c, x, bottom - ROW, width, all);
            put_children(out, c, x, bottom - ROW, scale, all);
        }
        x += width;
    }
}

void report_flame(FILE *out, const struct waits_view *v, enum report_side side, const char *title)
{
    struct node root = {.name = "all"};

    build(&root, v, side);
    double scale = root.ns > 0 ? (WIDTH - 2 * MARGIN) / root.ns : 0;
    unsigned height = HEAD + ROW * (depth_of(&root, scale) + 1) + MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
            "viewBox=\"0 0 %d %u\" font-family=\"monospace\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfdf8\"/>\n"
            "<text x=\"%d\" y=\"22\" font-size=\"14\">",
            WIDTH, height, WIDTH, height, MARGIN);
    report_escape(out, title);
    fprintf(out, ": %.3f s in all</text>\n", root.ns / 1e9);
    if (root.ns > 0) {
        put_box(out, &root, MARGIN, height - MARGIN - ROW, WIDTH - 2 * MARGIN, root.ns);
        put_children(out, &root, MARGIN, height - MARGIN - ROW, scale, root.ns);
    } else {
        fprintf(out, "<text x=\"%d\" y=\"38\">nothing was seen of it</text>\n", MARGIN);
    }
    fprintf(out, "</svg>\n");
    free_children(&root);
}
