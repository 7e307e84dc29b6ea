import type { DeadLetter, QueueDepth } from "@appserver/kernel/ports";
import { AMQPError, type Channel, type Connection } from "rabbitmq-client";
import { toDeadLetter } from "./event-message.ts";
import { deadLetterQueue } from "./topology.ts";

/**
 * Reads without removing: gets messages, acknowledges none, and gives all back by closing the channel. While it reads, a
 * second reader misses what the first one holds.
 */
export async function readDeadLetters(connection: Connection, queue: string, limit: number): Promise<readonly DeadLetter[]> {
  const letters: DeadLetter[] = [];
  await onOwnChannel(connection, async (channel) => {
    while (letters.length < limit) {
      const message = await channel.basicGet({ queue: deadLetterQueue(queue) });
      if (!message) break;
      letters.push(toDeadLetter(queue, message));
    }
  });
  // What was given back may come after what arrived meanwhile.
  return letters.sort((one, other) => one.at.getTime() - other.at.getTime());
}

export async function readQueueDepths(connection: Connection, queues: readonly string[]): Promise<readonly QueueDepth[]> {
  const depths: QueueDepth[] = [];
  await onOwnChannel(connection, async (channel) => {
    for (const queue of queues) {
      const { messageCount: pending } = await channel.queueDeclare({ queue, passive: true });
      const { messageCount: dead } = await channel.queueDeclare({ queue: deadLetterQueue(queue), passive: true });
      depths.push({ queue, pending, dead });
    }
  });
  return depths;
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
