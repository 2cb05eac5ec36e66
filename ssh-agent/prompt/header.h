/* The bar on top in the box's colour: its name, its project, and the phrase that only the host
 * knows. */
#pragma once

#include <gtk/gtk.h>

#include "question.h"

GtkWidget *header_new(const question *asked);
