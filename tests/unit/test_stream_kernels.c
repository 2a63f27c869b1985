/* SPDX-License-Identifier: MIT */
/* Every supported form of the STREAM-style kernels computes the right values, and writes nowhere else. */

#include "../test.h"
#include "bench/memory.h"

enum { GUARD = 64, LONGEST = 64 * 129 };

static const size_t sizes[] = {0, 64, 128, 192, 448, 512, 4096, LONGEST};

/* Three arrays with a guard before and after each; element i of x, y, z holds i + 1, 2 i + 5, 7 i + 11. All sums and
 * products of the tests are whole numbers far below 2^53, so they are exact whatever the order or the rounding. */
struct arrays {
    double *x;
    double *y;
    double *z;
    double *memory;
};

static const double guard_value = -12345.5;

static struct arrays arrays_new(void)
{
    const size_t each = LONGEST + 2 * GUARD;
    void *memory = NULL;

    assert_int_equal(posix_memalign(&memory, 64, 3 * each * sizeof(double)), 0);
    double *first = memory;
    for (size_t i = 0; i < 3 * each; i++)
        first[i] = guard_value;
    return (struct arrays){
        .x = first + GUARD, .y = first + each + GUARD, .z = first + 2 * each + GUARD, .memory = first};
}

static double x_at(size_t i)
{
    return (double)i + 1;
}

static double y_at(size_t i)
{
    return 2 * (double)i + 5;
}

static double z_at(size_t i)
{
    return 7 * (double)i + 11;
}

/* Sets [0, n) and leaves the guard value from n on. */
static struct arrays arrays_filled(size_t n)
{
    const struct arrays t = arrays_new();

    for (size_t i = 0; i < n; i++) {
        t.x[i] = x_at(i);
        t.y[i] = y_at(i);
        t.z[i] = z_at(i);
    }
    return t;
}

static void assert_array(const double *array, size_t n, double (*at)(size_t i))
{
    for (size_t i = 0; i < n; i++)
        assert_true(array[i] == at(i));
    for (const double *before = array - GUARD; before < array; before++)
        assert_true(*before == guard_value);
    for (const double *after = array + n; after < array + LONGEST + GUARD; after++)
        assert_true(*after == guard_value);
}

/* 3 (i + 1) */
static double scaled(size_t i)
{
    return 3 * (double)i + 3;
}

/* (i + 1) + (2 i + 5) */
static double added(size_t i)
{
    return 3 * (double)i + 6;
}

/* (i + 1) + 3 (2 i + 5) */
static double triad(size_t i)
{
    return 7 * (double)i + 16;
}

/* Runs `check` for each supported form and size; counts the forms so that a test of nothing fails. */
static void for_each_form(void (*check)(const struct stream_kernels *form, size_t n))
{
    size_t forms = 0;

    for (const struct stream_kernels *const *form = stream_kernels_all; *form; form++) {
        if (!(*form)->supported())
            continue;
        forms++;
        for (size_t s = 0; s < COUNT(sizes); s++)
            check(*form, sizes[s]);
    }
    assert_true(forms > 0);
}

static void check_copy(const struct stream_kernels *form, size_t n)
{
    const struct arrays t = arrays_filled(n);

    form->run[KERNEL_COPY](t.x, NULL, t.z, 0, n);
    assert_array(t.z, n, x_at);
    assert_array(t.x, n, x_at);
    free(t.memory);
}

static void check_scale(const struct stream_kernels *form, size_t n)
{
    const struct arrays t = arrays_filled(n);

    form->run[KERNEL_SCALE](NULL, t.z, t.x, 3.0, n);
    assert_array(t.z, n, scaled);
    assert_array(t.x, n, x_at);
    free(t.memory);
}

static void check_add(const struct stream_kernels *form, size_t n)
{
    const struct arrays t = arrays_filled(n);

    form->run[KERNEL_ADD](t.x, t.y, t.z, 0, n);
    assert_array(t.z, n, added);
    assert_array(t.x, n, x_at);
    assert_array(t.y, n, y_at);
    free(t.memory);
}

static void check_triad(const struct stream_kernels *form, size_t n)
{
    const struct arrays t = arrays_filled(n);

    form->run[KERNEL_TRIAD](t.z, t.x, t.y, 3.0, n);
    assert_array(t.z, n, triad);
    assert_array(t.x, n, x_at);
    assert_array(t.y, n, y_at);
    free(t.memory);
}

TEST(test_stream_kernels_copy_is_exact)
{
    for_each_form(check_copy);
}

TEST(test_stream_kernels_scale_is_exact)
{
    for_each_form(check_scale);
}

TEST(test_stream_kernels_add_is_exact)
{
    for_each_form(check_add);
}

TEST(test_stream_kernels_triad_is_exact)
{
    for_each_form(check_triad);
}

TEST(test_stream_kernels_forms_are_complete_and_named_once)
{
    assert_non_null(stream_kernels_all[0]);
    for (const struct stream_kernels *const *form = stream_kernels_all; *form; form++) {
        assert_non_null((*form)->name);
        assert_non_null((*form)->supported);
        for (unsigned k = 0; k < N_KERNELS; k++)
            assert_non_null((*form)->run[k]);
        for (const struct stream_kernels *const *other = stream_kernels_all; other < form; other++)
            assert_false((*other)->nontemporal == (*form)->nontemporal && !strcmp((*other)->name, (*form)->name));
    }
}

/* No form before the chosen one may be supported; without a choice no form of the kind may be. */
static void assert_first_supported(bool nontemporal)
{
    const struct stream_kernels *chosen = stream_kernels_choose(nontemporal);

    for (const struct stream_kernels *const *form = stream_kernels_all; *form && *form != chosen; form++)
        assert_false((*form)->nontemporal == nontemporal && (*form)->supported());
    if (!chosen)
        return;
    assert_true(chosen->nontemporal == nontemporal);
    assert_true(chosen->supported());
}

TEST(test_stream_kernels_choose_takes_the_first_supported)
{
    assert_non_null(stream_kernels_choose(false));
    assert_first_supported(false);
    assert_first_supported(true);
}
