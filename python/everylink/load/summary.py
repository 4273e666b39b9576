"""What `show` prints of load patterns, as the fields of a JSON object (docs/json.md)."""

from collections.abc import Callable

from everylink.judge.verdict import JudgedRun
from everylink.load.conclusions import all_conclusions
from everylink.load.links import as_links, fold_failed_flows
from everylink.load.service import Party, ServiceSums, service_sums
from everylink.load.sums import SceneSums, scene_sums
from everylink.load.words import load_warnings
from everylink.model.loads import Load
from everylink.model.results import Results
from everylink.text.summary import Fields, host_fields, run_fields

SCHEMA = "everylink-load-summary/1"


def load_summary_fields(run: JudgedRun, hosts: bool) -> Fields:
    """The run, the judgement, and of each pattern its conclusions, scenes and failed flows; `hosts`: also each host."""
    results = run.results
    return {
        **run_fields(SCHEMA, run, load_warnings(results)),
        "patterns": [_pattern_fields(results, load, hosts) for load in results.loads],
    }


def _pattern_fields(results: Results, load: Load, hosts: bool) -> Fields:
    failures = fold_failed_flows(results, load)
    fields: Fields = {
        "name": load.name,
        "options": load.options,
        "point": load.point,
        "flows": len(load.flows),
        "failed": failures.failed,
        "failures": failures.lines(),
        "conclusions": all_conclusions(load, results.ranks.name),
    }
    if load.name == "client-server":
        return fields | {"scenes": [_service_fields(one, results.ranks.name, hosts) for one in service_sums(load)]}
    links = as_links(results, load)
    every_host = {"hosts": [host for size in links.sizes[-1:] for host in host_fields(links, size)]} if hosts else {}
    return fields | {"scenes": list(map(_scene_fields, scene_sums(load)))} | every_host


def _scene_fields(scene: SceneSums) -> Fields:
    return {**vars(scene), "rate": vars(scene.rate), "latency": vars(scene.latency)}


def _service_fields(scene: ServiceSums, name: Callable[[int], str], hosts: bool) -> Fields:
    parties = {"clients": scene.clients, "servers": scene.servers}
    fields = {key: value for key, value in vars(scene).items() if key not in parties}
    fields |= {"waiting": vars(scene.waiting), "requests_a_second": scene.requests_a_second, "spread": scene.spread}
    if hosts:
        fields |= {key: [_party_fields(one, name) for one in ones] for key, ones in parties.items()}
    return fields


def _party_fields(one: Party, name: Callable[[int], str]) -> Fields:
    return {
        "name": name(one.rank), "failed": one.failed, "requests": one.requests, "seconds": one.seconds,
        "rate": one.rate, "waiting": vars(one.waiting), "service": one.service,
    }  # fmt: skip
