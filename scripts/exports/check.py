"""check.py RESULT EXPORTS: gives each export to its consumer's schema or reader; exit 1 on the first refusal."""

import csv
import json
import pathlib
import sys

import jsonschema
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from lxml import etree
from prometheus_client.parser import text_string_to_metric_families

HERE = pathlib.Path(__file__).resolve().parent


def junit(result: dict, path: pathlib.Path) -> str:
    schema = etree.XMLSchema(etree.parse(HERE / "junit-10.xsd"))
    report = etree.parse(path)
    # The schema is older than this attribute of the root, which Jenkins passes over; its parts keep theirs.
    del report.getroot().attrib["skipped"]
    schema.assertValid(report)
    cases = report.findall(".//testcase")
    assert len(cases) == len(result["thresholds"]) + len(result["checks"]) + 1
    missed = [t for t in result["thresholds"] if not t["pass"]]
    assert len(report.findall(".//testcase[@classname]/failure[@type='threshold']")) == len(missed)
    return f"{len(cases)} tests fit the schema"


def bencher(_: dict, path: pathlib.Path) -> str:
    schema = json.loads((HERE / "bmf.json").read_text())
    # Draft 7 by its address, which the file writes without the closing '#'.
    benchmarks = json.loads(path.read_text())
    jsonschema.Draft7Validator(schema).validate(benchmarks)
    assert all(len(name) <= 1024 for name in benchmarks)
    return f"{len(benchmarks)} benchmarks fit the schema"


def github(_: dict, path: pathlib.Path) -> str:
    entries = json.loads(path.read_text())
    for entry in entries:
        assert isinstance(entry["name"], str) and isinstance(entry["unit"], str), entry
        assert isinstance(entry["value"], (int, float)), entry
        assert all(isinstance(entry.get(key, ""), str) for key in ("range", "extra")), entry
    return f"{len(entries)} entries have what the action reads"


def k6(_: dict, path: pathlib.Path) -> str:
    data = json.loads(path.read_text())
    assert data["root_group"]["path"] == "" and data["state"]["testRunDurationMs"] >= 0
    kinds = {"counter", "gauge", "rate", "trend"}
    for name, metric in data["metrics"].items():
        assert metric["type"] in kinds and metric["contains"] in {"default", "time", "data"}, name
        assert all(isinstance(value, (int, float)) for value in metric["values"].values()), name
    return f"{len(data['metrics'])} metrics have k6's shape"


def rows(head: list[str]):
    def check(_: dict, path: pathlib.Path) -> str:
        with path.open(newline="") as file:
            reader = csv.DictReader(file, strict=True)
            lines = list(reader)
        assert reader.fieldnames == head, reader.fieldnames
        for line in lines:
            assert None not in line and None not in line.values(), line
            float(line["value"])
        return f"{len(lines)} rows"

    return check


def prometheus(result: dict, path: pathlib.Path) -> str:
    families = list(text_string_to_metric_families(path.read_text()))
    samples = {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}
    for kind in result["kinds"]:
        for outcome, figures in kind["workflows"].items():
            labels = (("kind", kind["name"]), ("outcome", outcome))
            assert samples[("loadgen_workflows_total", labels)] == figures["count"], labels
    for (name, labels), count in samples.items():
        if name.endswith("_bucket") and ("le", "+Inf") in labels:
            rest = tuple(label for label in labels if label[0] != "le")
            assert samples[(name.removesuffix("_bucket") + "_count", rest)] == count, labels
    return f"{len(samples)} samples in {len(families)} families"


def hlog(result: dict, path: pathlib.Path) -> str:
    whole = HdrHistogram(1, 3_600_000_000_000, 3)
    reader, read = HistogramLogReader(str(path), whole), 0
    while reader.add_next_interval_histogram(whole):
        read += 1
    counted = sum(r["count"] for second in result["seconds"] for r in second["rounds"])
    assert whole.get_total_count() == counted, (whole.get_total_count(), counted)
    return f"{read} histograms with {counted} times"


CHECKS = {
    "junit": junit,
    "bencher": bencher,
    "github-action-benchmark": github,
    "github-action-benchmark-bigger": github,
    "k6-summary": k6,
    "csv": rows(["figure", "statistic", "unit", "value", "low_95", "high_95", "kind", "phase", "round", "outcome", "replica"]),
    "csv-seconds": rows(["second", "round", "figure", "unit", "value"]),
    "prometheus": prometheus,
}


def main() -> int:
    folder, exports = map(pathlib.Path, sys.argv[1:])
    result = json.loads((folder / "result.json").read_text())
    for name, check in CHECKS.items():
        print(f"{name}: {check(result, exports / name)}")
    if (folder / "rounds.hlog").exists():
        print(f"rounds.hlog: {hlog(result, folder / 'rounds.hlog')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
