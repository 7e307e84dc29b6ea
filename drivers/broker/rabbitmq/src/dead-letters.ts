import type { DeadLetter } from "@appserver/kernel/ports";
import { AMQPError, type Connection } from "rabbitmq-client";
import { toDeadLetter } from "./event-message.ts";
import { deadLetterQueue } from "./topology.ts";

/**
 * Reads without removing: gets messages, acknowledges none, and gives all back by closing the channel. While it reads, a
 * second reader misses what the first one holds.
 */
export async function readDeadLetters(connection: Connection, queue: string, limit: number): Promise<readonly DeadLetter[]> {
  const channel = await connection.acquire({ emitErrorsFromChannel: true });
  const letters: DeadLetter[] = [];
  channel.on("error", () => {});
  try {
    while (letters.length < limit) {
      const message = await channel.basicGet({ queue: deadLetterQueue(queue) });
      if (!message) break;
      letters.push(toDeadLetter(queue, message));
    }
  } catch (error) {
    // Nobody has consumed from such a queue yet.
    if (!(error instanceof AMQPError && error.code === "NOT_FOUND")) throw error;
  } finally {
    await channel.close();
  }
  // What was given back may come after what arrived meanwhile.
  return letters.sort((one, other) => one.at.getTime() - other.at.getTime());
}
