"""metrics.py: reads Prometheus text on standard input and prints its families as JSON.

The official client's own parser does the reading; whatever it refuses ends the program with exit 1.
"""

import json
import sys

from prometheus_client.parser import text_string_to_metric_families


def main() -> None:
    families = []
    for family in text_string_to_metric_families(sys.stdin.read()):
        samples = [{"name": s.name, "labels": s.labels, "value": s.value} for s in family.samples]
        families.append({"name": family.name, "type": family.type, "help": family.documentation, "samples": samples})
    json.dump(families, sys.stdout)


if __name__ == "__main__":
    main()
