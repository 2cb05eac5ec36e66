/* A number and perhaps a descriptor over a socket between processes of box-init. */
#pragma once

/* FD -1: none. 0, or -1 with errno. */
int reserve_pass_send(int socket, int number, int fd);
/* 0 with both filled (*FD -1: none came); -1 with errno, 0 for the end. */
int reserve_pass_receive(int socket, int *number, int *fd);
