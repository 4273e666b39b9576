"""Pods of an indexed Job on the hosts of a bed: what a kubelet makes of a manifest, as far as a namespace can play it.

Each pod has its host name, its name in a common hosts file (the DNS of the headless service), the variables and the
command of its container, a root that it can only read, the user, groups and capabilities of its security contexts, and
its volumes. Not played: seccomp, limits of processors and memory, devices.
"""

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netns import PROGRAM, Bed, address

from conftest import PATIENCE, measure_program

# As root within a host: a new root whose folders are those of this machine, but only to be read.
MAKE_ROOT = """
set -eu
mount -t tmpfs root "$ROOT"
for from in /*; do
  if [ -L "$from" ]; then cp -P "$from" "$ROOT$from"; continue; fi
  case $from in /bin|/etc|/lib*|/sbin|/usr|/opt) ;; *) continue ;; esac
  mkdir "$ROOT$from"
  mount --rbind "$from" "$ROOT$from"
  mount -o remount,bind,ro "$ROOT$from"
done
mkdir -p "$ROOT/image" "$ROOT/proc" "$ROOT/dev" "$ROOT/sys"
mount --bind "$IMAGE" "$ROOT/image"
mount --bind "$NAMES" "$ROOT/etc/hosts"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --rbind /sys "$ROOT/sys"
"""


class Cluster:
    """Runs the pods of one Job, pod k on host k of the bed."""

    def __init__(self, bed: Bed, folder: Path, job: Mapping[str, Any], service: str, name: str, key: str) -> None:
        """`job`: the spec of a Job; `name`: of its pods, without the index; `key`: the contents of its secret."""
        self.bed, self.folder, self.name, self.service = bed, folder, name, service
        self.pod = job["template"]["spec"]
        (self.container,) = self.pod["containers"]
        self.key, self.started = key, dict[int, subprocess.Popen[str]]()
        self.names = folder / "names"
        self.names.write_text("127.0.0.1 localhost\n")
        self.results = folder / "results"
        self.results.mkdir()
        os.chown(self.results, 0, self.pod["securityContext"]["fsGroup"])
        self.results.chmod(0o2775)

    def start(self, index: int, **options: str) -> None:
        """Start a pod, and make its name known. `options`: of the command, in place of those of the manifest."""
        home = self.folder / str(index)
        home.mkdir()
        with self.names.open("a") as names:
            names.write(f"{address(index)} {self.name}-{index}.{self.service} {self.name}-{index}\n")
        variables = self._variables(index)
        words = [*self.container["command"], *self.container["args"]]
        words = [re.sub(r"\$\((\w+)\)", lambda name: variables[name[1]], word) for word in words]
        for option, value in options.items():
            words = [
                re.sub(f"^--{option.replace('_', '-')}=.*", f"--{option.replace('_', '-')}={value}", w) for w in words
            ]
        root, user = home / "root", self.pod["securityContext"]
        root.mkdir()
        script = [MAKE_ROOT, *(line for mount in self.container["volumeMounts"] for line in self._mounted(mount, home))]
        script += ['mount -o remount,ro "$ROOT"', f"hostname {self.name}-{index}"]
        rights = [
            "setpriv",
            f"--reuid={user['runAsUser']}",
            f"--regid={user['runAsGroup']}",
            f"--groups={user['fsGroup']}",
        ]
        rights += ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
        inside = [
            "env",
            "-i",
            "PATH=/image:/usr/bin:/bin",
            *(f"{name}={value}" for name, value in variables.items()),
            *words,
        ]
        script.append(f'exec chroot "$ROOT" {shlex.join([*rights, *inside])}')
        image = str(Path(measure_program()).parent)
        self.started[index] = subprocess.Popen(
            [PROGRAM, "--name", self.bed.name, "exec", f"h{index}", "unshare", "--mount", "--uts", "--pid", "--fork",
             "--kill-child", "sh", "-c", "\n".join(script)],
            env=os.environ | {"ROOT": str(root), "NAMES": str(self.names), "IMAGE": image},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def _variables(self, index: int) -> dict[str, str]:
        fields = {
            "metadata.annotations['batch.kubernetes.io/job-completion-index']": str(index),
            "spec.nodeName": f"node-{index}",
        }
        return {
            one["name"]: one["value"] if "value" in one else fields[one["valueFrom"]["fieldRef"]["fieldPath"]]
            for one in self.container["env"]
        }

    def _mounted(self, mount: Mapping[str, Any], home: Path) -> list[str]:
        """The commands that mount a volume of the pod."""
        (volume,) = (one for one in self.pod["volumes"] if one["name"] == mount["name"])
        there, group = f'"$ROOT{mount["mountPath"]}"', self.pod["securityContext"]["fsGroup"]
        lines = [f"mkdir -p {there}"]
        if "secret" in volume:  # the kubelet gives the group of the pod what the owner may read
            mode = volume["secret"]["defaultMode"] | 0o040
            file = home / "key"
            file.write_text(self.key)
            file.chmod(mode)
            os.chown(file, 0, group)
            return [*lines, f"mount -t tmpfs secret {there}", f"cp -p {shlex.quote(str(file))} {there}/key"]
        if "persistentVolumeClaim" in volume:
            return [*lines, f"mount --bind {shlex.quote(str(self.results))} {there}"]
        assert "emptyDir" in volume
        return [*lines, f"mount -t tmpfs empty {there}", f"chgrp {group} {there}", f"chmod 2777 {there}"]

    def ended(self) -> dict[int, tuple[int, str]]:
        """The exit code and the log of each pod that was started."""
        logs = {index: pod.communicate(timeout=PATIENCE)[0] for index, pod in self.started.items()}
        return {index: (pod.returncode, logs[index]) for index, pod in self.started.items()}

    def signal(self, index: int, number: int) -> None:
        """To the first process of a pod, as a kubelet sends it."""
        pod = self.started[index].pid
        for first in Path(f"/proc/{pod}/task/{pod}/children").read_text().split():
            os.kill(int(first), number)

    def stop(self) -> None:
        for index, pod in self.started.items():
            if pod.poll() is None:
                self.signal(index, signal.SIGKILL)
                pod.kill()
                pod.communicate(timeout=10)
