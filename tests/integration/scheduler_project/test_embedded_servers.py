"""The embedded servers start, keep their data, stop fast, and live side by side."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest
import redis
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from scheduler_project.embedded.errors import EmbeddedServerError
from scheduler_project.embedded.identity import read_pid_file
from scheduler_project.embedded.postgres import EmbeddedPostgres
from scheduler_project.embedded.servers import SERVER_NAMES, EmbeddedServers


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def start(data_dir: Path) -> EmbeddedServers:
    return EmbeddedServers(data_dir, usual_ports=False)


def test_data_outlives_a_restart(data_dir: Path) -> None:
    with start(data_dir) as urls:
        with psycopg.connect(urls["DATABASE_URL"]) as database:
            database.execute("CREATE TABLE kept AS SELECT 'here' AS word")
        with redis.Redis.from_url(urls["REDIS_URL"], decode_responses=True) as client:
            client.set("kept", "here")
    with start(data_dir) as urls:
        with psycopg.connect(urls["DATABASE_URL"]) as database:
            assert database.execute("SELECT word FROM kept").fetchone() == ("here",)
        with redis.Redis.from_url(urls["REDIS_URL"], decode_responses=True) as client:
            assert client.get("kept") == "here"


def test_nothing_durable_is_switched_off(data_dir: Path) -> None:
    with start(data_dir) as urls:
        with psycopg.connect(urls["DATABASE_URL"]) as database:
            settings = [database.execute(f"SHOW {name}").fetchone() for name in ("fsync", "max_connections")]
        with redis.Redis.from_url(urls["REDIS_URL"], decode_responses=True) as client:
            policies = {**client.config_get("maxmemory-policy"), **client.config_get("append*")}
    assert settings == [("on",), ("200",)]
    assert policies["maxmemory-policy"] == "noeviction"
    assert (policies["appendonly"], policies["appendfsync"]) == ("yes", "everysec")


def test_kafka_takes_a_message(data_dir: Path) -> None:
    with start(data_dir) as urls:
        address: dict[str, str | int | float | bool] = {"bootstrap.servers": urls["KAFKA_BOOTSTRAP_SERVERS"]}
        admin = AdminClient(address)
        admin.create_topics([NewTopic("t", num_partitions=1, replication_factor=1)])["t"].result(5)
        errors: list[object] = []
        producer = Producer({**address, "enable.idempotence": True})
        producer.produce("t", b"value", on_delivery=lambda error, _: errors.append(error))
        producer.flush(5)
    assert errors == [None]


def test_stop_is_fast_with_clients_connected_and_leaves_nothing(data_dir: Path) -> None:
    servers = start(data_dir)
    urls = servers.start()
    identities = [read_pid_file(data_dir / "run" / f"{name}.pid") for name in SERVER_NAMES]
    with ExitStack() as clients:
        for _ in range(5):
            clients.enter_context(closing(psycopg.connect(urls["DATABASE_URL"]))).execute("SELECT 1")
        began = time.monotonic()
        servers.stop()
        assert time.monotonic() - began < 5
    assert all(identity is not None and not identity.is_alive() for identity in identities)
    assert not list((data_dir / "run").glob("*.pid"))


def test_two_data_folders_live_side_by_side(tmp_path: Path) -> None:
    with (
        EmbeddedServers(tmp_path / "a") as first,
        EmbeddedServers(tmp_path / "b") as second,
        redis.Redis.from_url(first["REDIS_URL"]) as one,
        redis.Redis.from_url(second["REDIS_URL"]) as other,
    ):
        assert not set(first.values()) & set(second.values())
        one.set("mine", "1")
        assert other.get("mine") is None


def test_a_server_that_is_given_is_not_started(data_dir: Path) -> None:
    served = {"DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS"}
    with EmbeddedServers(data_dir, served=served, usual_ports=False) as urls:
        assert set(urls) == {"REDIS_URL"}


def test_a_deep_folder_with_odd_characters_works(tmp_path: Path) -> None:
    postgres = EmbeddedPostgres(tmp_path.joinpath(*["a deep Ördner %2F"] * 6))
    postgres.start()
    try:
        with psycopg.connect(postgres.url) as database:
            assert database.execute("SELECT current_database()").fetchone() == ("slotbeat",)
    finally:
        postgres.stop()


def test_a_failed_start_shows_the_log_and_stops_the_others(data_dir: Path) -> None:
    with start(data_dir):
        pass
    (data_dir / "postgres" / "PG_VERSION").write_text("9.6\n")
    with pytest.raises(EmbeddedServerError, match="ended while starting") as caught:
        start(data_dir).start()
    assert "9.6" in str(caught.value)
    assert not list((data_dir / "run").glob("*.pid"))
