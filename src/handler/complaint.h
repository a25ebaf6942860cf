/* What is wrong and costs no answer: kept until the log is told (handler_complaint). */
#ifndef HANDLER_COMPLAINT_H
#define HANDLER_COMPLAINT_H

#include "handler/handler.h"

/* The request's hand-off is none. */
void complaint_handoff(struct handler *handler, struct str value);

#endif
