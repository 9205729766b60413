//! Reading a request and a streamed reply, whose state is opaque text.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use loadgen_benches::{ARGUMENTS, Case};
use loadgen_protocol::{Message, SseParser};
use loadgen_seal::{Algorithm, Backend};

/// A retry that carries the token of a state of `state_bytes` bytes.
fn retry(state_bytes: usize) -> String {
    let backend = Backend::available_for(Algorithm::DEFAULT)[0];
    let token = Case::new(Algorithm::DEFAULT, backend).token(state_bytes);
    let arguments = std::str::from_utf8(ARGUMENTS).expect("JSON is UTF-8");
    format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"form":{{}}}}}}}},"name":"book_berth","arguments":{arguments},"inputResponses":{{"skipper":{{"action":"accept","content":{{"name":"Mara"}}}}}},"requestState":"{token}"}}}}"#
    )
}

fn wire(c: &mut Criterion) {
    let mut group = c.benchmark_group("wire");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300));
    for bytes in [256, 4096, 65_536] {
        let body = retry(bytes);
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_function(BenchmarkId::new("request", bytes), |b| {
            b.iter(|| {
                let Ok(Message::Request(request)) = Message::parse(black_box(body.as_bytes()))
                else {
                    unreachable!("a valid request");
                };
                let params = request.params.expect("valid");
                let meta = params.meta().expect("it has what it needs");
                let state = params.state().expect("valid").expect("it has a state");
                meta.version.len() + state.len()
            });
        });
        let stream = format!("event: message\ndata: {body}\n\n");
        group.throughput(Throughput::Bytes(stream.len() as u64));
        group.bench_function(BenchmarkId::new("sse", bytes), |b| {
            b.iter(|| {
                let mut events = Vec::new();
                SseParser::new().push(black_box(stream.as_bytes()), &mut events);
                assert_eq!(events.len(), 1);
                events
            });
        });
    }
    group.finish();
}

criterion_group!(benches, wire);
criterion_main!(benches);
