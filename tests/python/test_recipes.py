"""Recipes and manifests: the version that they name, and what their pods may do."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from everylink.version import VERSION

ROOT = Path(__file__).parents[2]
KUBERNETES = ROOT / "integrations/kubernetes"
NAMES_VERSION = {  # file: the line in which a recipe names the version of Everylink
    "integrations/kubernetes/job.yaml": f"image: everylink:{VERSION}",
    "integrations/kubernetes/jobset.yaml": f"image: everylink:{VERSION}",
    "integrations/kubernetes/diagnose.yaml": f"image: everylink:{VERSION}",
    "integrations/kubernetes/chart/Chart.yaml": f'appVersion: "{VERSION}"',
    "packaging/apptainer/everylink.def": f"Version {VERSION}",
    "packaging/conda/recipe.yaml": f'version: "{VERSION}"',
    "packaging/container/Containerfile": f'org.opencontainers.image.version="{VERSION}" \\',
    f"packaging/easybuild/Everylink-{VERSION}-foss-2025b.eb": f"version = '{VERSION}'",
    f"packaging/easybuild/Everylink-{VERSION}-gompi-2025b.eb": f"version = '{VERSION}'",
    "packaging/spack/packages/everylink/package.py": f'version("{VERSION}")',
}
PODS = ("job.yaml", "jobset.yaml", "diagnose.yaml")


def documents(name: str) -> dict[str, Any]:
    """The documents of a manifest, by kind."""
    return {one["kind"]: one for one in yaml.safe_load_all((KUBERNETES / name).read_text())}


def job_in(name: str) -> Any:
    """The spec of the Job in a manifest, also of the one within a JobSet."""
    found = documents(name)
    if "JobSet" in found:
        (only,) = found["JobSet"]["spec"]["replicatedJobs"]
        assert only["replicas"] == 1
        return only["template"]["spec"]
    return found["Job"]["spec"]


def settings(container: Any) -> Iterator[tuple[str, str]]:
    for one in container["env"]:
        yield one["name"], one.get("value", "") or one["valueFrom"]["fieldRef"]["fieldPath"]


@pytest.mark.parametrize("file", NAMES_VERSION)
def test_each_recipe_names_this_version(file: str) -> None:
    assert NAMES_VERSION[file] in [line.strip() for line in (ROOT / file).read_text().splitlines()]


def test_no_recipe_names_another_version() -> None:
    files = [file for folder in ("integrations/kubernetes", "packaging") for file in (ROOT / folder).rglob("*.*")]
    texts = {file: file.read_text() for file in files if file.is_file() and file.suffix != ".pyc"}
    named = re.compile(r"(?i)everylink[:@/-]v?(\d+\.\d+\.\d+)")
    assert {found for text in texts.values() for found in named.findall(text)} == {VERSION}
    assert {file.name.split("-")[1] for file in texts if file.suffix == ".eb"} == {VERSION}


def test_recipes_ask_for_the_python_packages_that_we_ask_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {re.split("[<>=]", one)[0].lower(): one.partition(">=")[2] for one in project["dependencies"]}
    conda = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())["requirements"]["run"]
    by_conda = {name.removesuffix("-base"): version for name, _, version in (one.partition(" >=") for one in conda)}
    assert by_conda == wanted | {"python": project["requires-python"].removeprefix(">=")}
    spack = (ROOT / "packaging/spack/packages/everylink/package.py").read_text()
    by_spack = dict(re.findall(r'"py-([a-z0-9]+)@([0-9.]+):", type=\("build", "run"\)', spack))
    assert by_spack == wanted


def test_the_options_of_the_core_that_recipes_set_exist() -> None:
    known = set(re.findall(r"(EVERYLINK_\w+) (?:AUTO|OFF|\")", (ROOT / "CMakeLists.txt").read_text()))
    recipes = [file.read_text() for file in (ROOT / "packaging").rglob("*") if file.is_file() and file.suffix != ".pyc"]
    assert {name for text in recipes for name in re.findall(r"EVERYLINK_[A-Z0-9]+(?==|\", )", text)} <= known


def test_the_chart_has_the_version_of_what_it_starts() -> None:
    chart = yaml.safe_load((KUBERNETES / "chart/Chart.yaml").read_text())
    assert chart["version"] == chart["appVersion"] == VERSION


@pytest.mark.parametrize("name", PODS)
def test_pods_have_the_least_rights(name: str) -> None:
    pod = job_in(name)["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] > 0
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    (container,) = pod["containers"]
    rights = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert container["securityContext"] == rights
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    assert all("hostPath" not in volume for volume in pod["volumes"])


@pytest.mark.parametrize("name", ["job.yaml", "jobset.yaml"])
def test_a_pod_is_a_rank_of_as_many_as_there_are(name: str) -> None:
    job = job_in(name)
    variables = dict(settings(job["template"]["spec"]["containers"][0]))
    assert job["completionMode"] == "Indexed"
    assert job["completions"] == job["parallelism"] == int(variables["EVERYLINK_SIZE"])
    assert variables["EVERYLINK_RANK"] == "metadata.annotations['batch.kubernetes.io/job-completion-index']"
    assert variables["EVERYLINK_KEY_FILE"] == "/run/everylink/key"
    assert "EVERYLINK_KEY" not in variables


def test_rank_0_is_met_at_the_name_that_the_service_gives_it() -> None:
    found = documents("job.yaml")
    pod = found["Job"]["spec"]["template"]
    service, job = found["Service"], found["Job"]["metadata"]["name"]
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert pod["spec"]["subdomain"] == service["metadata"]["name"]
    (port,) = service["spec"]["ports"]
    meeting = f"{job}-0.{service['metadata']['name']}:{port['port']}"
    assert dict(settings(pod["spec"]["containers"][0]))["EVERYLINK_RENDEZVOUS"] == meeting


def test_the_pods_of_job_and_jobset_differ_only_in_how_they_are_named() -> None:
    one, other = job_in("job.yaml"), job_in("jobset.yaml")
    del one["template"]["spec"]["subdomain"]  # JobSet sets it
    for job in (one, other):
        variables = job["template"]["spec"]["containers"][0]["env"]
        (meeting,) = (one for one in variables if one["name"] == "EVERYLINK_RENDEZVOUS")
        meeting["value"] = ""
    assert one == other


def test_the_schema_of_the_chart_knows_each_value() -> None:
    values = yaml.safe_load((KUBERNETES / "chart/values.yaml").read_text())
    schema = yaml.safe_load((KUBERNETES / "chart/values.schema.json").read_text())
    assert set(values) == set(schema["properties"]) - {"global"}
    for name, value in values.items():
        if known := schema["properties"][name].get("properties"):
            assert set(value) == set(known)
