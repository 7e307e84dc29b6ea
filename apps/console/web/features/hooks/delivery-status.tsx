import { Badge } from "@mantine/core";
import type { DeliveryStatus } from "../../generated/operations.ts";

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
