/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that many lists of options have. */
#ifndef FER_OPTION_ROWS_H
#define FER_OPTION_ROWS_H

#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }
#define JSON                                                                                       \
    {                                                                                              \
        "json", 0, NULL, NULL, "print JSON"                                                        \
    }
#define STATION                                                                                    \
    {                                                                                              \
        "config", 'C', "FILE", NULL,                                                               \
            "what names servers, commands and APIs (default: ferrule.yaml here, or the user's)"    \
    }
#define METRICS                                                                                    \
    {                                                                                              \
        "metrics", 0, "FILE", NULL,                                                                \
            "write metrics of the calls to a file, as Prometheus reads them; - is standard output" \
    }
#define DEADLINE                                                                                   \
    {                                                                                              \
        "deadline", 0, "MS", NULL, "time for all of it, in milliseconds (default 30000)"           \
    }

#endif
