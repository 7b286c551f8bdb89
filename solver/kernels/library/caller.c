/* The module of Python that kernels of the library are called through, linked into the library itself.

   Form(number, size, plan, classes, size of result, plan of result, its classes, optional): kernel `number` for
   arguments of certain types; plans are bytes of int64, which layout.py writes and `fill` and `build` read.
   Caller(fallback): a call tries the forms that `learn` gave it, and calls fallback(*arguments) where they fit none.
   set_up(failed): the function (status, bytes or None) that raises what a kernel raised.

   Python's limited API and what numpy 1 and 2 have in common: one build serves every Python from 3.11 and every numpy
   from 1.23, whichever it was built with.
*/
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <string.h>

enum { SCALAR, ARRAY, TUPLE, OPTIONAL };
enum { INT64, UINT64, FLOAT64, BOOL, INT32, INT8, NONE };
/* Words of a call's arguments and result that need no memory of their own, and what numba's kernels end with. */
enum { ROOM = 1024, RETURNED_NONE = -2, RAISED = 1 };
typedef int (*Entry)(void *, void **, const char *);
typedef struct { void *meminfo; PyObject *parent; npy_intp items, itemsize; char *data; npy_intp shape[1]; } Array;
typedef struct { const char *data; npy_int32 size; const char *hash, *unwrap; npy_int32 dynamic; } Problem;
typedef struct {
    PyObject_HEAD
    Entry entry;
    Py_ssize_t size, result_size;
    PyObject *plan, *classes, *result_plan, *result_classes;
    int optional;
} Form;
typedef struct {
    PyObject_HEAD
    PyObject *forms, *fallback;
} Caller;

/* Of the code that link.py writes, and of numba's runtime. */
extern const Entry stiction_entries[];
extern const Py_ssize_t stiction_count;
extern void NRT_decref(void *);
static PyObject *failed;

/* Take numpy's table of functions, 0 where that fails. numpy's own import_array refuses another major version than it was
   built with; 1 and 2 differ in a descriptor's size and all that comes after it, which nothing here reads. */
static int take_numpy(void)
{
    PyObject *module = PyImport_ImportModule("numpy._core._multiarray_umath");
    if (!module && PyErr_ExceptionMatches(PyExc_ImportError)) {
        PyErr_Clear();
        module = PyImport_ImportModule("numpy.core._multiarray_umath");
    }
    PyObject *table = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
    Py_XDECREF(module);
    PyArray_API = table ? (void **)PyCapsule_GetPointer(table, NULL) : NULL;
    Py_XDECREF(table);
    if (!PyArray_API) return 0;
    unsigned version = PyArray_GetNDArrayCVersion() >> 24, feature = PyArray_GetNDArrayCFeatureVersion();
    if (version >= 1 && version <= 2 && feature >= NPY_1_23_API_VERSION) return 1;
    PyErr_Format(PyExc_ImportError, "numpy's ABI is %u, its API %u; 1 or 2 and at least %u are needed", version, feature,
                 NPY_1_23_API_VERSION);
    return 0;
}

/* Write an array as numba describes it; 0 where it is of another type. */
static int fill_array(const npy_int64 *p, PyObject *value, char *to)
{
    PyArrayObject *a = (PyArrayObject *)value;
    if (Py_TYPE(value) != &PyArray_Type || PyArray_NDIM(a) != p[2] || !PyArray_ISNOTSWAPPED(a)) return 0;
    if (PyArray_TYPE(a) != p[1] && !PyArray_EquivTypenums(PyArray_TYPE(a), (int)p[1])) return 0;
    if ((p[3] == 'C' && !PyArray_IS_C_CONTIGUOUS(a)) || (p[3] == 'F' && !PyArray_IS_F_CONTIGUOUS(a))) return 0;
    if (!PyArray_ISALIGNED(a) || (p[6] && !PyArray_ISWRITEABLE(a))) return 0;
    Array *s = (Array *)(to + p[5]);
    s->meminfo = NULL;
    s->parent = value;
    s->items = 1;
    s->itemsize = p[4];
    s->data = PyArray_DATA(a);
    for (int i = 0; i < p[2]; i++) {
        s->shape[i] = PyArray_DIM(a, i);
        s->shape[p[2] + i] = PyArray_STRIDE(a, i);
        s->items *= PyArray_DIM(a, i);
    }
    return 1;
}

static int fill_scalar(npy_int64 kind, PyObject *value, char *to)
{
    PyTypeObject *type;
    switch (kind) {
    case INT64:
        if (PyLong_CheckExact(value)) {
            *(npy_int64 *)to = PyLong_AsLongLong(value);
            return !PyErr_Occurred();
        }
        type = &PyInt64ArrType_Type;
        break;
    case FLOAT64:
        if (!PyFloat_CheckExact(value) && Py_TYPE(value) != &PyDoubleArrType_Type) return 0;
        *(double *)to = PyFloat_AsDouble(value);
        return 1;
    case BOOL:
        if (PyBool_Check(value)) {
            *to = value == Py_True;
            return 1;
        }
        type = &PyBoolArrType_Type;
        break;
    case UINT64: type = &PyUInt64ArrType_Type; break;
    case INT32: type = &PyInt32ArrType_Type; break;
    case INT8: type = &PyInt8ArrType_Type; break;
    default:
        *(void **)to = NULL;
        return value == Py_None;
    }
    if (Py_TYPE(value) != type) return 0;
    PyArray_ScalarAsCtype(value, to);
    return 1;
}

/* Write a value as the plan says; 0 where it is of another type. */
static int fill(const npy_int64 **at, PyObject *classes, PyObject *value, char *to)
{
    const npy_int64 *p = *at;
    if (p[0] == ARRAY) {
        *at += 7;
        return fill_array(p, value, to);
    }
    *at += 3;
    if (p[0] == SCALAR) return fill_scalar(p[1], value, to + p[2]);
    PyObject *wanted = p[1] < 0 ? (PyObject *)&PyTuple_Type : PyTuple_GetItem(classes, p[1]);
    if ((PyObject *)Py_TYPE(value) != wanted || PyTuple_Size(value) != p[2]) return 0;
    for (Py_ssize_t i = 0; i < p[2]; i++)
        if (!fill(at, classes, PyTuple_GetItem(value, i), to)) return 0;
    return 1;
}

static void forget(PyObject *capsule) { NRT_decref(PyCapsule_GetPointer(capsule, NULL)); }

/* The array among arguments that memory belongs to. */
static PyObject *owner(PyObject *value, const char *data)
{
    if (PyArray_Check(value)) {
        PyArrayObject *a = (PyArrayObject *)value;
        const char *begin = PyArray_DATA(a);
        PyObject *bytes = PyArray_ISONESEGMENT(a) && begin <= data ? PyObject_GetAttrString(value, "nbytes") : NULL;
        int inside = bytes && data < begin + PyLong_AsSsize_t(bytes);
        Py_XDECREF(bytes);
        return inside ? value : NULL;
    }
    for (Py_ssize_t i = 0; PyTuple_Check(value) && i < PyTuple_Size(value); i++) {
        PyObject *found = owner(PyTuple_GetItem(value, i), data);
        if (found) return found;
    }
    return NULL;
}

/* The array that a kernel returned: an argument, a view of one, or new. */
static PyObject *build_array(const npy_int64 *p, const Array *s, PyObject *given)
{
    int n = (int)p[2];
    PyArrayObject *parent = (PyArrayObject *)s->parent;
    if (!s->meminfo && parent && PyArray_NDIM(parent) == n && PyArray_DATA(parent) == s->data &&
        !memcmp(PyArray_DIMS(parent), s->shape, n * sizeof(npy_intp)))
        return Py_NewRef(s->parent);
    PyObject *base = s->meminfo ? PyCapsule_New(s->meminfo, NULL, forget) : owner(given, s->data);
    if (!base) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a kernel returned memory that belongs to nobody");
        return NULL;
    }
    if (!s->meminfo) Py_INCREF(base);
    PyObject *array = PyArray_New(&PyArray_Type, n, (npy_intp *)s->shape, (int)p[1], (npy_intp *)s->shape + n, s->data, 0,
                                  NPY_ARRAY_WRITEABLE, NULL);
    if (!array) {
        Py_DECREF(base);
        return NULL;
    }
    PyArray_UpdateFlags((PyArrayObject *)array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    if (PyArray_SetBaseObject((PyArrayObject *)array, base)) {
        Py_DECREF(array);
        return NULL;
    }
    return array;
}

static PyObject *build_scalar(npy_int64 kind, const char *from)
{
    switch (kind) {
    case INT64: return PyLong_FromLongLong(*(const npy_int64 *)from);
    case UINT64: return PyLong_FromUnsignedLongLong(*(const npy_uint64 *)from);
    case FLOAT64: return PyFloat_FromDouble(*(const double *)from);
    case BOOL: return PyBool_FromLong(*from);
    case INT32: return PyLong_FromLong(*(const npy_int32 *)from);
    case INT8: return PyLong_FromLong(*(const npy_int8 *)from);
    }
    return Py_NewRef(Py_None);
}

/* The object for a returned value, as the plan says. */
static PyObject *build(const npy_int64 **at, PyObject *classes, const char *from, PyObject *given)
{
    const npy_int64 *p = *at;
    if (p[0] == ARRAY) {
        *at += 7;
        return build_array(p, (const Array *)(from + p[5]), given);
    }
    *at += 3;
    if (p[0] == SCALAR) return build_scalar(p[1], from + p[2]);
    if (p[0] == OPTIONAL) {
        if (from[p[1]]) return build(at, classes, from, given);
        *at += p[2];
        return Py_NewRef(Py_None);
    }
    PyObject *made;
    if (p[1] < 0) {
        made = PyTuple_New(p[2]);
    } else {
        PyTypeObject *kind = (PyTypeObject *)PyTuple_GetItem(classes, p[1]);
        made = ((allocfunc)PyType_GetSlot(kind, Py_tp_alloc))(kind, p[2]);
    }
    for (Py_ssize_t i = 0; made && i < p[2]; i++) {
        PyObject *one = build(at, classes, from, given);
        if (!one || PyTuple_SetItem(made, i, one)) {
            Py_DECREF(made);
            made = NULL;
        }
    }
    return made;
}

static PyObject *raise_problem(int status, const Problem *problem)
{
    if (status < RAISED || !problem || problem->dynamic) return PyObject_CallFunction(failed, "iO", status, Py_None);
    return PyObject_CallFunction(failed, "iy#", status, problem->data, (Py_ssize_t)problem->size);
}

/* The result, NULL and an error, or NULL without one where the arguments, a tuple, do not fit. */
static PyObject *call_form(Form *form, PyObject *given)
{
    const npy_int64 *at = (const npy_int64 *)PyBytes_AsString(form->plan);
    Py_ssize_t count = PyTuple_Size(given);
    if (*at++ != count) return NULL;
    npy_int64 room[ROOM];
    size_t words = (form->size + form->result_size) / 8 + 2;
    char *arguments = (char *)(words <= ROOM ? room : PyMem_Malloc(8 * words)), *result = arguments + form->size;
    if (!arguments) return PyErr_NoMemory();
    PyObject *value = NULL;
    for (Py_ssize_t i = 0; i < count; i++)
        if (!fill(&at, form->classes, PyTuple_GetItem(given, i), arguments)) goto end;
    void *problem = NULL;
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = form->entry(result, &problem, arguments);
    Py_END_ALLOW_THREADS
    if (status == RETURNED_NONE && form->optional) {
        value = Py_NewRef(Py_None);
    } else if (status && status != RETURNED_NONE) {
        value = raise_problem(status, problem);
    } else {
        at = (const npy_int64 *)PyBytes_AsString(form->result_plan);
        value = build(&at, form->result_classes, result, given);
    }
end:
    if ((char *)room != arguments) PyMem_Free(arguments);
    return value;
}

static int form_init(PyObject *object, PyObject *arguments, PyObject *named)
{
    Form *self = (Form *)object;
    Py_ssize_t number;
    if (!PyArg_ParseTuple(arguments, "nnSO!nSO!p", &number, &self->size, &self->plan, &PyTuple_Type, &self->classes,
                          &self->result_size, &self->result_plan, &PyTuple_Type, &self->result_classes,
                          &self->optional)) return -1;
    if (number < 0 || number >= stiction_count) {
        PyErr_SetString(PyExc_ValueError, "the library has no kernel of this number");
        return -1;
    }
    self->entry = stiction_entries[number];
    self->size = (self->size + 7) / 8 * 8;
    Py_INCREF(self->plan);
    Py_INCREF(self->classes);
    Py_INCREF(self->result_plan);
    Py_INCREF(self->result_classes);
    return 0;
}

static PyObject *caller_call(PyObject *object, PyObject *given, PyObject *named)
{
    Caller *self = (Caller *)object;
    for (Py_ssize_t i = 0; !named && i < PyTuple_Size(self->forms); i++) {
        PyObject *value = call_form((Form *)PyTuple_GetItem(self->forms, i), given);
        if (value || PyErr_Occurred()) return value;
    }
    return PyObject_Call(self->fallback, given, named);
}

static int caller_init(PyObject *object, PyObject *arguments, PyObject *named)
{
    Caller *self = (Caller *)object;
    if (!PyArg_ParseTuple(arguments, "O", &self->fallback)) return -1;
    Py_INCREF(self->fallback);
    self->forms = PyTuple_New(0);
    return self->forms ? 0 : -1;
}

static PyObject *caller_learn(PyObject *object, PyObject *forms)
{
    if (!PyTuple_Check(forms)) {
        PyErr_SetString(PyExc_TypeError, "a tuple of Forms is needed");
        return NULL;
    }
    PyObject *before = ((Caller *)object)->forms;
    ((Caller *)object)->forms = Py_NewRef(forms);
    Py_DECREF(before);
    Py_RETURN_NONE;
}

static PyMethodDef caller_methods[] = {{"learn", caller_learn, METH_O, NULL}, {0}};
static PyType_Slot caller_slots[] = {{Py_tp_init, caller_init}, {Py_tp_new, PyType_GenericNew},
                                     {Py_tp_call, caller_call}, {Py_tp_methods, caller_methods}, {0}};
static PyType_Slot form_slots[] = {{Py_tp_init, form_init}, {Py_tp_new, PyType_GenericNew}, {0}};
static PyType_Spec caller_spec = {"kernels.Caller", sizeof(Caller), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                  caller_slots};
static PyType_Spec form_spec = {"kernels.Form", sizeof(Form), 0, Py_TPFLAGS_DEFAULT, form_slots};

static PyObject *set_up(PyObject *self, PyObject *function)
{
    Py_XDECREF(failed);
    failed = Py_NewRef(function);
    Py_RETURN_NONE;
}

/* Whether this processor runs the kernels. */
static int has_processor(void)
{
#if defined(__x86_64__) && defined(STICTION_V3)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("fma") && __builtin_cpu_supports("sse4.2");
#elif defined(__x86_64__)
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
#else
    return 1;
#endif
}

static PyMethodDef functions[] = {{"set_up", set_up, METH_O, NULL}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "kernels", NULL, -1, functions};

PyMODINIT_FUNC PyInit_kernels(void)
{
    if (!take_numpy()) return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyModule_AddObject(module, "Caller", PyType_FromSpec(&caller_spec)) ||
        PyModule_AddObject(module, "Form", PyType_FromSpec(&form_spec)) ||
        PyModule_AddObject(module, "has_processor", PyBool_FromLong(has_processor())))
        return NULL;
    return module;
}
