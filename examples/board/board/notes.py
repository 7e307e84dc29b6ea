"""Adds a card for each new note. The platform sends the hook over gRPC and keeps it while the board is down."""

import json
import queue
import random
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import quote

import grpc
from google.protobuf.json_format import MessageToDict

from .cards import MAX_TEXT, Cards
from .environment import Environment
from .hooks_pb2 import AckResult, SubscribeRequest, SubscribeResponse
from .signatures import signed_headers

HOOK = "com.example.notes.created"
_METHOD = "/appserver.v2.HooksService/Subscribe"
_NOTES = "/api/apps/com.example.notes/notes/"
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
_REQUEST_TIMEOUT = 5.0


class Drop(Exception):
    """The hook can never be handled; the platform must not send it again."""


class NoteCards:
    """Follows the hook in a thread of its own between `start` and `stop`, and connects again after a failure."""

    def __init__(self, environment: Environment, cards: Cards) -> None:
        self._environment = environment
        self._cards = cards
        self._stopped = threading.Event()
        self._call: grpc.Call | None = None
        self._thread = threading.Thread(target=self._run, name="hooks")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Hooks that were not acknowledged are delivered again."""
        self._stopped.set()
        if self._call is not None:
            self._call.cancel()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        failures = 0
        while not self._stopped.is_set():
            try:
                for _ in self._deliveries():
                    failures = 0
            except grpc.RpcError as error:
                if failures == 0 and not self._stopped.is_set():
                    print(f"hooks of {self._environment.app_name}: {_reason(error)}; retrying", flush=True)
            pause = min(_FIRST_PAUSE * 2**failures, _LONGEST_PAUSE) * random.uniform(0.5, 1)
            failures += 1
            self._stopped.wait(pause)

    def _deliveries(self) -> Iterator[None]:
        """Opens a stream and handles its hooks, one after another, until it ends."""
        requests: queue.SimpleQueue[SubscribeRequest | None] = queue.SimpleQueue()
        requests.put(SubscribeRequest(start={"hook_names": [HOOK], "max_in_flight": 1}))
        env = self._environment
        metadata = signed_headers(env.app_name, env.private_key, "POST", _METHOD)
        with grpc.insecure_channel(env.grpc_address, options=[("grpc.keepalive_time_ms", 15_000)]) as channel:
            subscribe = channel.stream_stream(
                _METHOD,
                request_serializer=SubscribeRequest.SerializeToString,
                response_deserializer=SubscribeResponse.FromString,
            )
            self._call = call = subscribe(iter(requests.get, None), metadata=tuple(metadata.items()))
            try:
                for response in call:
                    event = response.event
                    ack = {"event_id": event.id, "result": self._handle(MessageToDict(event.data))}
                    requests.put(SubscribeRequest(ack=ack))
                    yield
            finally:
                requests.put(None)

    def _handle(self, data: object) -> int:
        try:
            note_id = data.get("id") if isinstance(data, dict) else None
            if not isinstance(note_id, str):
                raise Drop("the data does not describe a note")
            author, text = self._note(note_id)
            self._cards.add(text, author, note_id)
            return AckResult.ACK_RESULT_SUCCESS
        except Drop as error:
            print(f"dropped a hook: {error}", flush=True)
            return AckResult.ACK_RESULT_DROP
        except Exception as error:
            print(f"could not add the card of a note: {error}", flush=True)
            return AckResult.ACK_RESULT_RETRY

    def _note(self, note_id: str) -> tuple[str, str]:
        """Reads a note through the platform, as this app. Returns its author and the beginning of its text."""
        env = self._environment
        path = _NOTES + quote(note_id, safe="")
        request = urllib.request.Request(
            env.http_url + path, headers=signed_headers(env.app_name, env.private_key, "GET", path)
        )
        try:
            with urllib.request.urlopen(request, timeout=_REQUEST_TIMEOUT) as response:
                note = json.load(response)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                raise Drop(f"the note {note_id} does not exist any more") from None
            raise
        return str(note["createdBy"]), str(note["text"])[:MAX_TEXT]


def _reason(error: grpc.RpcError) -> str:
    return f"{error.code().name}: {error.details()}" if isinstance(error, grpc.Call) else str(error)
