import type { Clock } from "@appserver/kernel";
import type { DeadLetter, QueueDepth } from "@appserver/kernel/ports";
import { AMQPError, type Channel, type Connection } from "rabbitmq-client";
import { toDeadLetter } from "./event-message.ts";
import { deadLetterQueue } from "./topology.ts";

/**
 * Reads without removing: gets messages, acknowledges none, and returns all by closing the channel. During this, others see and
 * count fewer messages, so only one process may read or count at a time ({@link DeadLetterTurns}). Resolves once all messages
 * are returned.
 */
export async function readDeadLetters(
  connection: Connection,
  queue: string,
  limit: number,
  clock: Clock,
): Promise<readonly DeadLetter[]> {
  const letters: DeadLetter[] = [];
  let before = 0;
  await onOwnChannel(connection, async (channel) => {
    before = await countMessages(channel, deadLetterQueue(queue));
    while (letters.length < limit) {
      const message = await channel.basicGet({ queue: deadLetterQueue(queue) });
      if (!message) break;
      letters.push(toDeadLetter(queue, message));
    }
  });
  if (letters.length > 0) await untilGivenBack(connection, deadLetterQueue(queue), before, clock);
  // Returned messages may come after messages that arrived in between.
  return letters.sort((one, other) => one.at.getTime() - other.at.getTime());
}

export async function readQueueDepths(connection: Connection, queues: readonly string[]): Promise<readonly QueueDepth[]> {
  const depths: QueueDepth[] = [];
  await onOwnChannel(connection, async (channel) => {
    for (const queue of queues) {
      const pending = await countMessages(channel, queue);
      const dead = await countMessages(channel, deadLetterQueue(queue));
      depths.push({ queue, pending, dead });
    }
  });
  return depths;
}

/** Waits until the queue has its messages back: a quorum queue takes them back shortly after the channel is closed. */
async function untilGivenBack(connection: Connection, queue: string, messages: number, clock: Clock): Promise<void> {
  await onOwnChannel(connection, async (channel) => {
    // An operator may purge the queue during this.
    for (const deadline = clock.monotonic() + giveBackMs; clock.monotonic() < deadline; await clock.sleep(10))
      if ((await countMessages(channel, queue)) >= messages) return;
  });
}

const giveBackMs = 2_000;

/** Counts messages that are ready; those held by a reader are not counted. */
async function countMessages(channel: Channel, queue: string): Promise<number> {
  return (await channel.queueDeclare({ queue, passive: true })).messageCount;
}

/** Runs `work` on a separate channel: a query for an undeclared queue is not an error here, but it closes the channel. */
async function onOwnChannel(connection: Connection, work: (channel: Channel) => Promise<void>): Promise<void> {
  const channel = await connection.acquire({ emitErrorsFromChannel: true });
  channel.on("error", () => {});
  try {
    await work(channel);
  } catch (error) {
    if (!(error instanceof AMQPError && error.code === "NOT_FOUND")) throw error;
  } finally {
    await channel.close();
  }
}
