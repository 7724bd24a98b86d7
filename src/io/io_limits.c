/* SPDX-License-Identifier: Apache-2.0 */
#include "io_limits.h"

#include "http_client.h"
#include "http_server.h"
#include "lines.h"
#include "process.h"
#include "sse.h"

const fer_limit_row fer_io_limit_rows[] = {
    {"http.timeout", FER_HTTP_TIMEOUT_MS, "milliseconds of a request, unless it says otherwise"},
    {"http.idle", FER_HTTP_IDLE_MS, "milliseconds without a byte, unless it says otherwise"},
    {"http.connect", FER_HTTP_CONNECT_MS, "milliseconds until a server is connected"},
    {"http.head", FER_HTTP_HEAD_MAX, "bytes of the heads and trailers of an answer"},
    {"http.fields", FER_HTTP_FIELDS_MAX, "fields of a head, and of a request"},
    {"http.body", FER_HTTP_BODY_MAX, "bytes of an answer, unless the request says otherwise"},
    {"http.send", FER_HTTP_SEND_MAX, "bytes of the body of a request"},
    {"http.calls", FER_HTTP_CALLS_MAX, "requests of one client at a time"},
    {"http.connections", FER_HTTP_HOST_CONNS,
     "connections to one host and port; more requests wait"},
    {"server.head", FER_SERVER_HEAD_MAX, "bytes of the head of a request to us"},
    {"server.fields", FER_SERVER_FIELDS_MAX, "fields of it"},
    {"server.uri", FER_SERVER_URI_MAX, "bytes of its target"},
    {"server.body", FER_SERVER_BODY_MAX, "bytes of its body"},
    {"server.skip", FER_SERVER_SKIP_MAX,
     "bytes of a body that nobody wants; past them the connection is closed"},
    {"server.head-time", FER_SERVER_HEAD_MS, "milliseconds until the head is there"},
    {"server.body-window", FER_SERVER_BODY_MS, "milliseconds in each of which ..."},
    {"server.body-rate", FER_SERVER_BODY_RATE, "... so many bytes a second of a body must come"},
    {"server.idle", FER_SERVER_IDLE_MS, "milliseconds between two requests of a connection"},
    {"server.stuck", FER_SERVER_STUCK_MS, "milliseconds in each of which ..."},
    {"server.send-rate", FER_SERVER_SEND_RATE,
     "... a client takes so many bytes a second of an answer that waits"},
    {"server.stream", FER_SERVER_STREAM_MAX, "bytes that wait for the reader of a stream"},
    {"server.answer", FER_SERVER_ANSWER_MAX, "bytes of an answer, or of one piece of a stream"},
    {"server.gather", FER_SERVER_GATHER,
     "bytes of an answer that leave with those of other connections, at the end of a turn of the "
     "loop; longer ones leave at once"},
    {"server.connections", FER_SERVER_CONNS_MAX, "connections to a server"},
    {"server.address", FER_SERVER_ADDRESS_MAX,
     "connections of one address, or of one network of IPv6"},
    {"server.places", FER_SERVER_LISTEN_MAX, "places that a server listens at"},
    {"guard.hosts", FER_GUARD_HOSTS_MAX, "hosts and origins that a server is told to know"},
    {"guard.text", FER_GUARD_TEXT_MAX, "bytes of one of them"},
    {"net.url", FER_NET_URL_MAX, "bytes of a URL"},
    {"net.host", FER_NET_HOST_MAX, "characters of a host's name"},
    {"net.allow", FER_NET_ALLOW_MAX, "hosts and addresses that an operator allows"},
    {"line.size", FER_LINE_MAX,
     "bytes of a line that a program prints; a longer one is passed over"},
    {"process.write", FER_PROCESS_WRITE_MAX, "bytes that wait to be written to one process"},
    {"process.gather", FER_PROCESS_GATHER,
     "bytes of them that are written together at the end of a turn of the loop"},
    {"process.wait", FER_PROCESS_WRITE_MS, "milliseconds that they may wait"},
    {"process.stderr", FER_PROCESS_STDERR, "bytes of its standard error that are kept"},
    {"process.lines", FER_PROCESS_LINES_TOLD, "lines of it that are logged in a minute"},
    {"process.line", FER_PROCESS_LINE_TOLD, "bytes of such a line; the rest is cut off"},
    {"sse.event", FER_SSE_EVENT_MAX, "bytes of an event, and of a line, in a stream of events"},
    {"sse.id", FER_SSE_ID_MAX, "bytes of an event's ID"},
};
const size_t fer_io_limit_row_count = FER_COUNT(fer_io_limit_rows);
