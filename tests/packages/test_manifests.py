"""Manifests and the chart of integrations/kubernetes against the schemas of Kubernetes' API."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from api_server import api_with

from conftest import PATIENCE
from everylink.io.topology import read_topology

FOLDER = Path(__file__).parents[2] / "integrations/kubernetes"
SCHEMAS = "1.32"
JOBSET = os.environ.get("EVERYLINK_JOBSET")
ALL = {  # values that a user of the chart may set
    "nodes": 64,
    "ranksPerNode": 8,
    "rdma": {"resource": "rdma/hca"},
    "gpus": {"count": 8},
    "switchesConfigMap": "switches",
    "annotations": {"k8s.v1.cni.cncf.io/networks": "rail0"},
    "hostNetwork": True,
    "nodeSelector": {"pool": "gpu"},
    "tolerations": [{"operator": "Exists"}],
    "priorityClassName": "low",
    "imagePullSecrets": [{"name": "registry"}],
    "keySecret": "ours",
    "results": {"claim": "theirs"},
}

pytestmark = pytest.mark.long("kubernetes-validate, helm-python-sdk")


def validate(document: Any) -> None:
    """Raises where the API would refuse a document, or drop a field that it does not know."""
    schemas = pytest.importorskip("kubernetes_validate")
    schemas.validate(document, SCHEMAS, strict=True)


def rendered(values: dict[str, Any], name: str = "net") -> dict[str, Any]:
    """What the chart makes of these values, by kind."""
    helm = pytest.importorskip("helm_python")
    chart = helm.Chart.load(str(FOLDER / "chart"))
    chart.validate_schema(values)
    files = chart.render(values, name=name, namespace="default", is_install=True)
    texts = (text for path, text in files.items() if path.endswith(".yaml"))
    return {one["kind"]: one for text in texts for one in yaml.safe_load_all(text) if one}


@pytest.mark.parametrize("name", ["job.yaml", "diagnose.yaml"])
def test_the_api_takes_each_document(name: str) -> None:
    for document in yaml.safe_load_all((FOLDER / name).read_text()):
        validate(document)


def test_the_api_takes_the_job_within_the_jobset() -> None:
    claim, jobset = yaml.safe_load_all((FOLDER / "jobset.yaml").read_text())
    validate(claim)
    assert set(jobset["spec"]) == {"network", "failurePolicy", "replicatedJobs"}
    (nodes,) = jobset["spec"]["replicatedJobs"]
    validate({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, **nodes["template"]})


@pytest.mark.skipif(not JOBSET, reason="EVERYLINK_JOBSET names no clone of kubernetes-sigs/jobset")
def test_jobset_takes_the_jobset() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    path = "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml"
    shown = subprocess.run(["git", "-C", str(JOBSET), "show", f"HEAD:{path}"], capture_output=True, check=True)
    definition = yaml.load(shown.stdout, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    _, jobset = yaml.safe_load_all((FOLDER / "jobset.yaml").read_text())
    (version,) = definition["spec"]["versions"]
    assert jobset["apiVersion"] == f"{definition['spec']['group']}/{version['name']}"
    schema = version["schema"]["openAPIV3Schema"]
    jsonschema.Draft7Validator(without_other_fields(schema)).validate(jobset)


def without_other_fields(schema: Any) -> Any:
    """The schema, which also refuses fields that it does not name: the API would drop them."""
    if isinstance(schema, list):
        return [without_other_fields(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {name: without_other_fields(value) for name, value in schema.items()}
    fields = strict.get("properties")
    return strict | {"additionalProperties": False} if fields and strict.get("type") == "object" else strict


@pytest.mark.parametrize("values", [{}, ALL], ids=["as it is", "every value"])
def test_the_api_takes_what_the_chart_makes(values: dict[str, Any]) -> None:
    for document in rendered(values).values():
        validate(document)


def test_the_chart_makes_the_job_of_the_manifest() -> None:
    chart, manifest = rendered({}, "everylink"), yaml.safe_load_all((FOLDER / "job.yaml").read_text())
    by_hand = {one["kind"]: one for one in manifest}["Job"]["spec"]["template"]["spec"]
    by_chart = chart["Job"]["spec"]["template"]["spec"]
    labels = by_chart["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
    del labels["labelSelector"]["matchLabels"]["app.kubernetes.io/instance"]
    del by_chart["containers"][0]["imagePullPolicy"]
    assert by_chart == by_hand
    assert (
        chart["Service"]["spec"]["selector"].items() <= chart["Job"]["spec"]["template"]["metadata"]["labels"].items()
    )


def test_several_ranks_on_each_node_are_started_by_its_pod() -> None:
    pod = rendered({"nodes": 4, "ranksPerNode": 8})["Job"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert {"--bootstrap=tcp", "--np=8"} <= set(container["args"])
    assert {"name": "EVERYLINK_SIZE", "value": "4"} in container["env"]


def test_rdma_needs_root_only_for_the_memory_that_it_locks() -> None:
    def rights(**rdma: Any) -> tuple[int, Any]:
        pod = rendered({"rdma": {"resource": "rdma/hca", **rdma}})["Job"]["spec"]["template"]["spec"]
        assert pod["containers"][0]["resources"]["limits"]["rdma/hca"] == 1
        return pod["securityContext"]["runAsUser"], pod["containers"][0]["securityContext"]["capabilities"]

    assert rights() == (0, {"drop": ["ALL"], "add": ["IPC_LOCK"]})
    assert rights(lockMemory=False) == (65532, {"drop": ["ALL"]})


def test_each_installation_has_a_key_of_its_own_unless_one_is_named() -> None:
    one, other = (rendered({})["Secret"]["stringData"]["key"] for _ in range(2))
    assert len(one) == 64
    assert one != other
    assert "Secret" not in rendered({"keySecret": "ours"})


@pytest.mark.parametrize(
    ("values", "named"),
    [({"nodes": 1}, "nodes"), ({"node": 4}, "node"), ({"options": "--mode=ucp"}, "options"), ({"port": 0}, "port")],
)
def test_a_wrong_value_is_refused_by_name(values: dict[str, Any], named: str) -> None:
    helm = pytest.importorskip("helm_python")
    with pytest.raises(helm.HelmError, match=named):
        rendered(values)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl here")
def test_labels_of_nodes_become_files_for_topology_and_switches(tmp_path: Path) -> None:
    leaf = "network.topology.nvidia.com/leaf"
    nodes = {"n1": {leaf: "s1"}, "n2": {leaf: "s2"}, "n3": {leaf: "s1"}, "n4": {"pool": "login"}}

    def written(template: str) -> str:
        chosen = f"go-template-file={FOLDER / template}"
        command = ["kubectl", f"--server={address}", f"--cache-dir={tmp_path}", "get", "nodes", f"--output={chosen}"]
        environment = os.environ | {"KUBECONFIG": os.devnull}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True
        ).stdout

    with api_with(nodes) as address:
        assert written("switches.gotmpl") == "n1 s1\nn2 s2\nn3 s1\n"
        (tmp_path / "topology.conf").write_text(written("topology.gotmpl"))
    assert read_topology(tmp_path / "topology.conf").leaf_of == {"n1": "s1", "n2": "s2", "n3": "s1"}
