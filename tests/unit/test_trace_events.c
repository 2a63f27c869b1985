/* SPDX-License-Identifier: MIT */
/* Numbers of tracepoints, from made-up directories of tracefs, and from that of this machine. */
#include "../refuse.h"
#include "fixture.h"
#include "tree_fixture.h"

#include "sys/trace.h"

static const char head[] = "format:\n"
                           "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                           "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

static void put_event(const char *path, unsigned id, const char *fields)
{
    char file[128], text[1024];

    (void)snprintf(file, sizeof(file), "/events/%s/format", path);
    (void)snprintf(text, sizeof(text), "name: x\nID: %u\n%s%s\nprint fmt: \"irq=%%d name=%%s\", REC->irq\n", id, head,
                   fields);
    tree_put(file, text);
}

static const struct trace_event *event_of(const struct trace_events *events, unsigned id)
{
    for (size_t i = 0; i < events->n; i++)
        if (events->of[i].id == id)
            return &events->of[i];
    fail_msg("event %u is missing", id);
    return NULL;
}

TREE_TEST(test_trace_events_have_numbers_and_positions)
{
    static struct trace_events events;

    put_event("irq/irq_handler_entry", 170,
              "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
              "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n");
    put_event("sched/sched_switch", 171,
              "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
              "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
              "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n");
    put_event("irq/irq_handler_exit", 169,
              "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:int ret;\toffset:12;\tsize:4;\tsigned:1;\n");
    put_event("irq/softirq_entry", 168, "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n");
    put_event("workqueue/workqueue_execute_start", 120,
              "\tfield:void * work;\toffset:8;\tsize:8;\tsigned:0;\n"
              "\tfield:void * function;\toffset:16;\tsize:8;\tsigned:0;\n");
    put_event("irq_vectors/local_timer_entry", 90, "\tfield:int vector;\toffset:8;\tsize:4;\tsigned:1;\n");
    put_event("irq_vectors/local_timer_exit", 89, "\tfield:int vector;\toffset:8;\tsize:4;\tsigned:1;\n");
    put_event("irq_vectors/call_function_entry", 88, "");
    put_event("irq_vectors/call_function_exit", 87, "");
    put_event("irq_vectors/vector_alloc", 86, "");
    trace_events_read("", &events);
    assert_int_equal(events.error, 0);
    assert_int_equal(events.n, 9);
    const struct trace_event *to = &events.of[0];
    assert_true(to->id == 171 && to->kind == TRACE_SWITCH && to->number_at == 56 && to->name_at == 40 &&
                to->name_size == 16);
    const struct trace_event *irq = event_of(&events, 170), *timer = event_of(&events, 90);
    assert_true(irq->kind == TRACE_ENTER && irq->source == TRACE_IRQ);
    assert_true(irq->number_at == 8 && irq->number_size == 4 && irq->name_at == 12 && irq->name_size == 4);
    assert_int_equal(event_of(&events, 169)->kind, TRACE_LEAVE);
    assert_int_equal(event_of(&events, 168)->source, TRACE_SOFTIRQ);
    assert_true(event_of(&events, 120)->source == TRACE_WORK && event_of(&events, 120)->number_at == 16 &&
                event_of(&events, 120)->number_size == 8);
    assert_string_equal(timer->name, "local_timer");
    assert_true(timer->kind == TRACE_ENTER && timer->source == TRACE_VECTOR);
    assert_int_equal(event_of(&events, 89)->kind, TRACE_LEAVE);
    assert_int_equal(event_of(&events, 89)->vector, timer->vector);
    assert_int_equal(event_of(&events, 87)->vector, event_of(&events, 88)->vector);
    assert_int_not_equal(event_of(&events, 87)->vector, timer->vector);
}

/* Fields that are missing, or have other names that end alike. */
TREE_TEST(test_trace_events_without_their_fields_are_left_out)
{
    static struct trace_events events;

    put_event("irq/irq_handler_entry", 170, "\tfield:int my_irq;\toffset:8;\tsize:4;\tsigned:1;\n");
    put_event("irq/softirq_entry", 168, "\tfield:unsigned int vec;\toffset:8\n");
    put_event("irq/softirq_exit", 167, "\tfield:unsigned int vec;\toffset:99999;\tsize:4;\tsigned:0;\n");
    tree_put("/events/irq/irq_handler_exit/format", "junk");
    trace_events_read("", &events);
    assert_int_equal(events.n, 0);
}

TREE_TEST(test_trace_events_say_why_there_are_none)
{
    static struct trace_events events;

    trace_events_read("", &events);
    assert_int_equal(events.n, 0);
    assert_int_equal(events.error, -ENOENT);
}

/* Where it is not mounted, and may not be. */
static int nothing_found(void)
{
    static struct trace_events events;

    if (fixture_hide("/sys/kernel") || refuse_call(430, EMFILE)) /* fsopen() */
        return CANNOT;
    memset(&events, 0xff, sizeof(events));
    trace_events_find(&events);
    CHECK(events.n == 0 && events.error == -EMFILE);
    return 0;
}

TEST(test_trace_events_tell_why_none_were_found)
{
    assert_int_equal(fixture_in_child(nothing_found), 0);
}

/* Of this machine. A mount that was made for it is gone afterwards. */
TEST(test_trace_events_are_found_without_a_mount)
{
    static struct trace_events events;
    static const char path[] = "/sys/kernel/tracing/events";
    const bool mounted = access(path, F_OK) == 0;

    if (geteuid() != 0)
        skip_because("needs root");
    trace_events_find(&events);
    if (events.error == -EPERM || events.error == -EACCES || events.error == -ENODEV)
        skip_because("no tracefs here: %s", strerror(-events.error));
    assert_int_equal(events.error, 0);
    assert_int_equal(access(path, F_OK) == 0, mounted);
    bool softirq = false;
    for (size_t i = 0; i < events.n; i++) {
        assert_true(events.of[i].id > 0);
        softirq |= events.of[i].source == TRACE_SOFTIRQ && events.of[i].number_size == 4;
    }
    assert_true(softirq);
}
