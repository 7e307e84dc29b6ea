import type { Clock } from "@appserver/kernel";
import type { DeadLetter, QueueDepth } from "@appserver/kernel/ports";
import { AMQPError, type Channel, type Connection } from "rabbitmq-client";
import { toDeadLetter } from "./event-message.ts";
import { deadLetterQueue } from "./topology.ts";

/**
 * Reads without removing: gets messages, acknowledges none, and gives all back by closing the channel. Meanwhile others see
 * and count less: it resolves once all are back, and only one may read or count at a time ({@link DeadLetterTurns}).
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
  // What was given back may come after what arrived meanwhile.
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

/** A quorum queue takes back what a closed channel held a moment after the channel is closed. */
async function untilGivenBack(connection: Connection, queue: string, messages: number, clock: Clock): Promise<void> {
  await onOwnChannel(connection, async (channel) => {
    // An operator may purge the queue meanwhile.
    for (const deadline = clock.monotonic() + giveBackMs; clock.monotonic() < deadline; await clock.sleep(10))
      if ((await countMessages(channel, queue)) >= messages) return;
  });
}

const giveBackMs = 2_000;

/** Messages that are ready; those with a reader are not. */
async function countMessages(channel: Channel, queue: string): Promise<number> {
  return (await channel.queueDeclare({ queue, passive: true })).messageCount;
}

/** Asking for a queue that nobody has declared yet is no error, but it ends the channel. */
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
