import {
  type EventDefinition,
  type EventEffect,
  type EventField,
  eventBodyFields,
  eventDefinitions,
  eventEffects,
  eventExchange,
} from "@appserver/contracts/events";
import { brokerSection } from "@appserver/options/sections";

const { serverQueuePrefix, orchestratorQueuePrefix } = brokerSection.options;

/** Generates `docs/reference/events.md`: every event on the bus and the fields of its body. */
export function generateEventPage(): string {
  return `<!-- Generated from contracts/events by \`npm run generate\`. Do not edit. -->

# Events

Exchange \`${eventExchange}\` (topic, durable); the routing key is the event's type. Queues are named \`<prefix><type>\`:
\`${serverQueuePrefix.default}\` for the server, \`${orchestratorQueuePrefix.default}\` for the orchestrator. Delivery is at least once; the
\`id\` header is the idempotency key. Headers are those of CloudEvents 1.0 in binary mode, prefixed \`cloudEvents:\`.

## Fields of every body

${fieldTable(eventBodyFields)}

## What events affect

The platform observes events by what they affect. Each type below lists its effects.

${effectTable()}

## Types

${Object.entries<EventDefinition>(eventDefinitions).map(section).join("\n\n")}
`;
}

function section([type, { emitted, affects, fields }]: [string, EventDefinition]): string {
  return `### ${type}\n\nEmitted ${emitted}. ${effects(affects)}\n\n${fieldTable(fields)}`;
}

function effects(affects: readonly EventEffect[]): string {
  if (affects.length === 0) return "Affects nothing in the platform. It is for people and other programs.";
  return `Affects ${affects.map((effect) => `\`${effect}\``).join(", ")}.`;
}

function effectTable(): string {
  const rows = Object.entries(eventEffects).map(([effect, meaning]) => `| \`${effect}\` | ${meaning} |`);
  return ["| effect | what may change |", "| --- | --- |", ...rows].join("\n");
}

function fieldTable(fields: Readonly<Record<string, EventField>>): string {
  const rows = Object.entries(fields).map(([name, { meaning }]) => `| ${name} | ${meaning} |`);
  return ["| field | meaning |", "| --- | --- |", ...rows].join("\n");
}
