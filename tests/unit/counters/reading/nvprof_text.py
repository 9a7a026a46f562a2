"""What nvprof writes, made up: every number here is invented."""

MATMUL = "matMul(float*, float*, int)"
K20 = "Tesla K20c (0)"
TRACE_HEAD = (
    "==1== NVPROF is profiling process 1\n"
    '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem",'
    '"Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"\n'
    "ms,us,,,,,,,,KB,B,MB,GB/s,,,,\n"
)
METRICS_HEAD = (
    "==1== Metric result:\n"
    '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'
)  # fmt: skip
EVENTS_HEAD = '==1== Event result:\n"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"\n'
LAUNCHES_HEAD = '"Device","Context","Stream","Kernel","inst_executed"\n'


def launch(time_us: float, blocks: int = 32, kernel: str = MATMUL, device: str = K20) -> str:
    """A row of a trace."""
    return f'1.0,{time_us},{blocks},{blocks},1,16,16,1,25,2.0,0,,,"{device}","1","7","{kernel} [1]"\n'


def metric(value: object, kernel: str = MATMUL, device: str = K20, name: str = "inst_executed") -> str:
    """A row of averages of a metric."""
    return f'"{device}","{kernel}",3,"{name}","A title",{value},{value},{value}\n'


def event(value: float, kernel: str = MATMUL, name: str = "warps_launched") -> str:
    """A row of averages of an event."""
    return f'"{K20}","{kernel}",3,"{name}",{value},{value},{value},{3 * value}\n'


def counted(value: float, kernel: str = MATMUL, device: str = K20) -> str:
    """A launch with a metric."""
    return f'"{device}","1","7","{kernel} [1]",{value}\n'
