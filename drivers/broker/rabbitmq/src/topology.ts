import { eventExchange } from "@appserver/contracts/events";
import { AppError } from "@appserver/kernel";
import { AMQPError, type Channel } from "rabbitmq-client";

export const deadLetterExchange = `${eventExchange}.dlx`;

export function deadLetterQueue(queue: string): string {
  return `${queue}.dlq`;
}

/**
 * Returns the exchange that delays messages. A message published here with a queue's name as routing key returns to that queue
 * after `delayMs`.
 */
export function retryExchange(delayMs: number): string {
  return `${eventExchange}.retry.${delayMs}`;
}

export async function declareExchanges(channel: Channel): Promise<void> {
  await channel.exchangeDeclare({ exchange: eventExchange, type: "topic", durable: true });
  await channel.exchangeDeclare({ exchange: deadLetterExchange, type: "direct", durable: true });
}

/** Declares `<prefix><type>`, and first its dead-letter queue (docs/interface/events.md#broker-layout). */
export async function declareEventQueue(channel: Channel, queue: string, type: string): Promise<void> {
  const dead = deadLetterQueue(queue);
  // Reading without removing counts as failed deliveries, and RabbitMQ 4 drops a message after 20 of them by default.
  await channel.queueDeclare({ queue: dead, durable: true, arguments: { ...quorum, "x-delivery-limit": 1_000_000_000 } });
  await channel.queueBind({ queue: dead, exchange: deadLetterExchange, routingKey: queue });
  const toDeadLetters = { "x-dead-letter-exchange": deadLetterExchange, "x-dead-letter-routing-key": queue };
  await channel.queueDeclare({ queue, durable: true, arguments: { ...quorum, ...keepUntilMoved, ...toDeadLetters } });
  await channel.queueBind({ queue, exchange: eventExchange, routingKey: type });
}

/**
 * Declares one queue per delay for all event queues. Messages leave a queue only at its head, so in a queue of mixed delays a
 * long one would block the short ones behind it. Dead-lettering to the default exchange keeps the routing key, which is the
 * name of the queue to return to.
 */
export async function declareRetryDelay(channel: Channel, delayMs: number): Promise<void> {
  const name = retryExchange(delayMs);
  const back = { "x-message-ttl": delayMs, "x-dead-letter-exchange": "" };
  await channel.exchangeDeclare({ exchange: name, type: "fanout", durable: true });
  await channel.queueDeclare({ queue: name, durable: true, arguments: { ...quorum, ...keepUntilMoved, ...back } });
  await channel.queueBind({ queue: name, exchange: name });
}

const quorum = { "x-queue-type": "quorum" } as const;
/** Moves by the broker itself are also at least once; this requires this overflow mode. */
const keepUntilMoved = { "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish" } as const;

/** Returns the operator's error for refusals that a retry does not change; undefined for any other failure. */
export function refusalOf(error: unknown): AppError | undefined {
  if (!(error instanceof AMQPError)) return undefined;
  if (error.code === "PRECONDITION_FAILED") {
    const advice = "remove it there, or use another virtual host or queue prefix";
    return new AppError(
      "CONFLICT",
      `RabbitMQ has a queue or exchange of another kind by that name (${advice}): ${error.message}`,
      {
        cause: error,
      },
    );
  }
  if (error.code === "ACCESS_REFUSED") {
    return new AppError("PERMISSION_DENIED", `the RabbitMQ user lacks a permission that the platform needs: ${error.message}`, {
      cause: error,
    });
  }
  return undefined;
}
