/* The error domain of the server, see error.h */
#include "error.h"

G_DEFINE_QUARK (vod - error - quark, vod_error)
