/* Where distributions have nft(8), in the order to try. PATH may have folders that a box can write.
 */
#pragma once

#define NFT_PROGRAMS "/usr/sbin/nft", "/usr/bin/nft", "/sbin/nft", "/run/current-system/sw/bin/nft"
