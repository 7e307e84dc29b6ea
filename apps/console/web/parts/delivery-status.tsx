import { Trans } from "@lingui/react";
import { Table, Text } from "@mantine/core";
import type { DeliveryStatus } from "../generated/operations.ts";
import { deliveryError } from "./delivery-error.ts";
import { Status, type Tone } from "./status.tsx";
import { Time } from "./time.tsx";

const tones: Readonly<Record<DeliveryStatus, Tone>> = {
  PENDING: "neutral",
  SENDING: "active",
  RETRYING: "warning",
  DELIVERED: "good",
  DEAD: "bad",
  DROPPED: "neutral",
};

export const deliveryStatuses = Object.keys(tones) as readonly DeliveryStatus[];

export function DeliveryBadge({ status }: { readonly status: DeliveryStatus }) {
  return <Status tone={tones[status]}>{status}</Status>;
}

interface Progress {
  readonly status: DeliveryStatus;
  readonly attempt: number;
  readonly nextAttemptAt?: string | null | undefined;
  readonly updatedAt: string;
  readonly error?: { readonly code: string; readonly message: string } | null | undefined;
}

/** Three cells of the row of a delivery: its status with why it was not delivered yet, the number of its attempt, and when it changed. */
export function DeliveryProgress({ delivery }: { readonly delivery: Progress }) {
  const { status, attempt, nextAttemptAt, updatedAt, error } = delivery;
  return (
    <>
      <Table.Td miw={140} maw={320}>
        <DeliveryBadge status={status} />
        {nextAttemptAt && status === "RETRYING" && (
          <Text size="sm" c="dimmed">
            <Trans id="next <0/>" components={{ 0: <Time at={nextAttemptAt} /> }} />
          </Text>
        )}
        {error && (status === "RETRYING" || status === "DEAD") && (
          <Text size="sm" c="dimmed" className="wrap" title={error.code}>
            {deliveryError(error.message)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{attempt}</Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <Time at={updatedAt} />
      </Table.Td>
    </>
  );
}
