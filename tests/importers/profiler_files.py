"""Files in the formats of profilers, written by hand: what each says is counted in the tests."""

from __future__ import annotations

_LAUNCH = '"{id}","77","app","127.0.0.1","{kernel}","1","7","(128, 1, 1)","(64, 1, 1)","0","{cc}"'
_LONG = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size",'
    '"Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"\n'
)


def sass(operation: str, unit: str = "sm") -> str:
    return f"{unit}__sass_thread_inst_executed_op_{operation}_pred_on.sum"


def ncu_long(*launches: tuple[str, dict[str, tuple[str, str]]], cc: str = "8.0") -> str:
    """A row for each metric: launches are kernels with metrics, each with its unit and number."""
    lines = ["==PROF== Connected to process 77 (/app)\n", "app says hello, as programs do\n", _LONG]
    for number, (kernel, metrics) in enumerate(launches):
        start = _LAUNCH.format(id=number, kernel=kernel, cc=cc)
        for name, (unit, value) in metrics.items():
            lines.append(f'{start},"Command line profiler metrics","{name}","{unit}","{value}"\n')
    return "".join(lines)


TRIAD = "void triad<double, 2>(double *, const double *)"
GERMAN = ncu_long(
    (
        TRIAD,
        {
            "gpu__time_duration.sum": ("usecond", "65,77"),
            "dram__bytes.sum": ("byte", "2.508.800"),
            "lts__t_bytes.sum": ("byte", "3.010.560"),
            "l1tex__t_bytes.sum": ("Kbyte", "4.014,08"),
            sass("dadd"): ("inst", "1.024"),
            sass("dmul"): ("inst", "0"),
            sass("dfma"): ("inst", "102.400"),
            "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "12,5"),
        },
    ),
    (
        TRIAD,
        {
            "gpu__time_duration.sum": ("usecond", "64,23"),
            "dram__bytes.sum": ("byte", "2.508.800"),
            "lts__t_bytes.sum": ("byte", "3.010.560"),
            "l1tex__t_bytes.sum": ("Kbyte", "4.014,08"),
            sass("dadd"): ("inst", "1.024"),
            sass("dmul"): ("inst", "0"),
            sass("dfma"): ("inst", "102.400"),
            "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "12,5"),
        },
    ),
    (
        "copy(float4 *)",
        {
            "gpu__time_duration.sum": ("msecond", "1,5"),
            "dram__bytes.sum": ("Mbyte", "64"),
            "lts__t_bytes.sum": ("Mbyte", "64"),
            "l1tex__t_bytes.sum": ("Mbyte", "64"),
            sass("dadd"): ("inst", "0"),
            sass("dmul"): ("inst", "0"),
            sass("dfma"): ("inst", "0"),
            "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "1"),
        },
    ),
)
ENGLISH = (
    GERMAN.replace("2.508.800", "2,508,800")
    .replace("3.010.560", "3,010,560")
    .replace("4.014,08", "4,014.08")
    .replace("1.024", "1,024")
    .replace("102.400", "102,400")
    .replace("65,77", "65.77")
    .replace("64,23", "64.23")
    .replace("12,5", "12.5")
    .replace("1,5", "1.5")
)
RAW = (
    '"ID","Process ID","Kernel Name","Device","CC","dram__bytes_read.sum","dram__bytes_write.sum",'
    f'"sm__cycles_elapsed.avg","sm__cycles_elapsed.avg.per_second","{sass("fadd", "smsp")}",'
    f'"{sass("fmul", "smsp")}","{sass("ffma", "smsp")}","sm__inst_executed_pipe_tensor.sum"\n'
    '"","","","","","Mbyte","Kbyte","cycle","cycle/nsecond","inst","inst","inst","inst"\n'
    '"0","77","gemm, tiled","0","7.0","1.50","500.25","3000","1.50","10","20","1000","8"\n'
)

PMC = (
    "Dispatch_ID,GPU_ID,Grid_Size,Kernel_Name,"
    + ",".join(f"SQ_INSTS_VALU_{op}_F64" for op in ("ADD", "MUL", "FMA", "TRANS"))
    + ",SQ_INSTS_VALU_MFMA_MOPS_F64,TCP_TOTAL_CACHE_ACCESSES_sum,TCP_TCC_READ_REQ_sum,"
    "TCP_TCC_WRITE_REQ_sum,TCP_TCC_ATOMIC_WITH_RET_REQ_sum,TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum,"
    "TCC_EA_RDREQ_sum,TCC_EA_RDREQ_32B_sum,TCC_EA_WRREQ_sum,TCC_EA_WRREQ_64B_sum,SQ_WAVES,"
    "Start_Timestamp,End_Timestamp\n"
    '0,4,1024,"add(double*, int)",100.0,0.0,0.0,0.0,0.0,50,30,20,1,1,40,8,25,20,16,1000,3500\n'
    '1,4,1024,"add(double*, int)",100.0,0.0,0.0,0.0,0.0,50,30,20,1,1,40,8,25,20,16,5000,7500\n'
    "2,4,1024,gemm,0.0,0.0,10.0,1.0,3.0,7,5,4,0,0,10,0,4,4,16,8000,8250\n"
)
ROCPROFV3 = (
    '"Correlation_Id","Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value",'
    '"Start_Timestamp","End_Timestamp"\n'
    '1,1,"copy","TCC_EA0_RDREQ_sum",100,10,1010\n'
    '1,1,"copy","TCC_EA0_RDREQ_32B_sum",0,10,1010\n'
    '1,1,"copy","TCC_BUBBLE_sum",60,10,1010\n'
    '1,1,"copy","TCC_EA0_WRREQ_sum",50,10,1010\n'
    '1,1,"copy","TCC_EA0_WRREQ_64B_sum",50,10,1010\n'
)

PERF_TEXT = """# started on Mon Nov 30 21:40:55 2026


 Performance counter stats for './triad 1000':

     4,321,000,000      cycles                           # 3.100 GHz  (50.12%)
     <not counted>      branch-misses  (0.00%)
         1,000,000      fp_arith_inst_retired.256b_packed_double:u  (49.90%)
             2,500      fp_arith_inst_retired.scalar_double:u
            775.41 msec task-clock                       # 0.998 CPUs utilized  ( +-  0.10% )
             12.50 MiB  uncore_imc_0/cas_count_read/
              2.25 MiB  uncore_imc_0/cas_count_write/
             10.00 MiB  uncore_imc_1/cas_count_read/
              2.25 MiB  uncore_imc_1/cas_count_write/

       0.250000000 seconds time elapsed

       0.200000000 seconds user
       0.040000000 seconds sys


"""
PERF_CSV = """# started on Mon Nov 30 21:40:55 2026

1000,,fp_arith_inst_retired.512b_packed_double,775410000,100.00,,
64,,fp_arith_inst_retired.128b_packed_single,775410000,75.00,,
775.41,msec,task-clock,775410000,100.00,0.998,CPUs utilized
3000,,LLC-load-misses,775410000,100.00,12.5,of all LL-cache accesses
<not supported>,,cycles,0,0.00,,
500000,ns,duration_time,500000,100.00,,
"""
ADVISOR = """loop_name,self_ai,self_gflops,self_time,vectorization
"[loop in triad at a.c:10]",0.0625,2.5,1.5,AVX2
"[loop in dot, inlined at a.c:20]",0.125,4,0.5,
"[loop in copy at a.c:30]",,,0.25,AVX2
"""
TRACE = """{
  "schemaVersion": 1, "with_flops": 1, "record_shapes": 1,
  "traceEvents": [
    {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "ts": 1.5, "args": {"name": "python"}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 7, "tid": 7, "ts": 100.000,
     "dur": 50.000, "args": {"External id": 1}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 7, "tid": 7, "ts": 110.000,
     "dur": 30.250, "args": {"External id": 2, "Input type": ["float", "float", "float"],
     "Input Dims": [[16], [64, 32], [32, 16]]}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::copy_", "pid": 7, "tid": 7, "ts": 112.000,
     "dur": 3.000, "args": {"External id": 3}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::relu", "pid": 7, "tid": 7, "ts": 160.000,
     "dur": 10.000, "args": {"External id": 4}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 200.000,
     "dur": 8.500, "args": {"External id": 5, "flops": 1000}}
  ]
}
"""

ALL = {
    "ncu": {"german.csv": GERMAN, "english.csv": ENGLISH, "raw.csv": RAW},
    "rocprof": {"pmc_perf.csv": PMC, "counters.csv": ROCPROFV3},
    "perf": {"perf.txt": PERF_TEXT, "perf.csv": PERF_CSV},
    "advisor": {"loops.csv": ADVISOR},
    "torch": {"trace.json": TRACE},
}
"""Each file by the format it is in."""
