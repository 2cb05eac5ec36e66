#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/desktop-helper/desktop_helper.h"
#include "proto/clip_content.h"
#include "proto/peer_process.h"
#include "proto/question.h"

/* The program that asks and those that have started it, as far as the kernel knows the first. */
static void add_program(question *asked, const desktop_helper *self)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(DESKTOP_HELPER_CONNECTION, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
        peer.pid > 0)
        peer_process_add_chain(asked, peer.pid, self->run);
}

/* FILE is what the window writes the picture to. */
static question *question_about(const desktop_helper *self, int file)
{
    question *asked = question_new(QUESTION_PASTE, self->box, self->project);
    g_autofree char *headline =
        g_strdup_printf("Give box %s the picture that you have copied", self->box);
    question_set_headline(asked, headline);
    question_set_descriptor(asked, file);
    question_add_known(asked, "Clipboard", "read once, and nothing but a picture is given", NULL,
                       NULL);
    add_program(asked, self);
    question_add_choice(asked, QUESTION_ANSWER_ONCE, NULL, NULL);
    question_offer_mute(asked);
    return asked;
}

/* Reads FILE to its end. The caller frees the picture; NULL when there is none. */
static unsigned char *read_picture(int file, gsize *length)
{
    struct stat st;
    if (fstat(file, &st) < 0 || st.st_size <= 0 || (gsize)st.st_size > CLIP_MAX)
        return NULL;
    unsigned char *picture = malloc((gsize)st.st_size);
    *length = (gsize)st.st_size;
    if (picture && pread(file, picture, *length, 0) == (gssize)*length &&
        clip_clean(CLIP_PICTURE, picture, length) == 0)
        return picture;
    free(picture);
    return NULL;
}

void give_picture(const desktop_helper *self)
{
    int file = memfd_create("picture", MFD_CLOEXEC);
    if (file < 0) {
        desktop_helper_answer(REQUEST_UNABLE, "the host has no memory for a picture");
        return;
    }
    g_autoptr(question) asked = question_about(self, file);
    if (!desktop_helper_ask(asked))
        return;
    gsize length;
    unsigned char *picture = read_picture(file, &length);
    if (picture)
        desktop_picture_send(DESKTOP_HELPER_CONNECTION, picture, length);
    else
        desktop_helper_answer(REQUEST_UNABLE, "the window has given no picture");
    free(picture);
}
