import { type WorkRequest, type WorkResponse, WorkResponseSchema } from "@appserver/contracts/proto/appserver/v2/activity";
import { AppError } from "@appserver/kernel";
import { create } from "@bufbuild/protobuf";
import type { WorkMessage, WorkStream } from "../ports.ts";
import { outcomeOf, runMessage } from "./messages.ts";

/**
 * Handles one worker's stream. Each report is accepted without waiting until the previous one is stored, because reports are
 * stored many at a time.
 */
export async function* work(
  stream: WorkStream,
  requests: AsyncIterable<WorkRequest>,
  signal: AbortSignal,
): AsyncGenerator<WorkResponse> {
  const onAbort = (): void => stream.end();
  signal.addEventListener("abort", onAbort, { once: true });
  const reading = read(stream, requests).then(
    () => stream.end(),
    // If the connection broke, no client is left to receive the error.
    (error: unknown) => stream.end(error instanceof AppError ? error : undefined),
  );
  try {
    for await (const message of stream.messages()) yield response(message);
  } finally {
    signal.removeEventListener("abort", onAbort);
    await stream.close();
    // The transport ends it with the stream; awaiting it here could wait for a silent client.
    void reading;
  }
}

/** Reports of one stream that are not stored yet. The next one is read after that, so that a fast worker waits for the database. */
const maxUnderWay = 200;

/** Resolves when the worker's stream has ended and all its reports are stored. */
async function read(stream: WorkStream, requests: AsyncIterable<WorkRequest>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for await (const { message } of requests) {
    if (stream.isOver) return;
    if (message.case === "ready") {
      await stream.ready(message.value);
      continue;
    }
    // The worker repeats over its next stream what this one could not store.
    const report = handle(stream, message).catch((error: unknown) => stream.end(toAppError(error)));
    underWay.add(report);
    void report.then(() => underWay.delete(report));
    const [oldest] = underWay;
    if (underWay.size >= maxUnderWay) await oldest;
  }
  await Promise.all(underWay);
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError("SERVICE_UNAVAILABLE", "the worker's reports could not be stored; send them again", { cause: error });
}

async function handle(stream: WorkStream, message: WorkRequest["message"]): Promise<void> {
  switch (message.case) {
    case "heartbeat":
      return stream.heartbeat(message.value.runId, message.value.attempt);
    case "progress":
      return stream.progress(message.value.runId, message.value.attempt, message.value);
    case "result":
      return stream.result(message.value.runId, message.value.attempt, outcomeOf(message.value));
    default:
      return;
  }
}

function response(message: WorkMessage): WorkResponse {
  switch (message.kind) {
    case "assign": {
      const { run, input } = message.assigned;
      return create(WorkResponseSchema, { message: { case: "assign", value: runMessage(run, { input }) } });
    }
    case "cancel":
      return create(WorkResponseSchema, { message: { case: "cancel", value: { runId: message.runId } } });
    case "settled": {
      const { runId, accepted } = message;
      const problem = { code: "INVALID_STATE", message: "the assignment was lost before" };
      const value = { runId, accepted, ...(accepted ? {} : { problem }) };
      return create(WorkResponseSchema, { message: { case: "settled", value } });
    }
  }
}
