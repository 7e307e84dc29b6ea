import { Badge, Table, Text } from "@mantine/core";
import type { DeliveryStatus } from "../generated/operations.ts";
import { Time } from "./time.tsx";

const colors: Readonly<Record<DeliveryStatus, string>> = {
  PENDING: "gray.5",
  SENDING: "blue",
  RETRYING: "orange",
  DELIVERED: "green",
  DEAD: "red",
  DROPPED: "gray.5",
};

export const deliveryStatuses = Object.keys(colors) as readonly DeliveryStatus[];

export function DeliveryBadge({ status }: { readonly status: DeliveryStatus }) {
  return (
    <Badge variant="dot" color={colors[status]} style={{ flexShrink: 0 }}>
      {status}
    </Badge>
  );
}

interface Progress {
  readonly status: DeliveryStatus;
  readonly attempt: number;
  readonly nextAttemptAt?: string | null | undefined;
  readonly updatedAt: string;
}

/** Three cells of the row of a delivery: its status, the number of its attempt, and when it changed. */
export function DeliveryProgress({ delivery: { status, attempt, nextAttemptAt, updatedAt } }: { readonly delivery: Progress }) {
  return (
    <>
      <Table.Td miw={140}>
        <DeliveryBadge status={status} />
        {nextAttemptAt && status === "RETRYING" && (
          <Text size="sm" c="dimmed">
            next <Time at={nextAttemptAt} />
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
