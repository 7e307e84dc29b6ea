import { Button, Group, Select, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Attempts } from "../../parts/attempts.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { DeliveryProgress, deliveryStatuses } from "../../parts/delivery-status.tsx";
import { eventTitle } from "../../parts/event-types.ts";
import { Section } from "../../parts/facts.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { choicesOf } from "../../parts/status.tsx";
import { isFinished } from "../hooks/hook-queries.ts";
import { resendDelivery, type Target, type TargetDelivery, targetDeliveriesQuery } from "./notification-queries.ts";

const route = getRouteApi("/shell/console/notifications");

/** The deliveries to a target, newest first, each with its attempts. */
export function TargetDeliveries({ target }: { readonly target: Target }) {
  const { status } = route.useSearch();
  const navigate = route.useNavigate();
  const deliveries = useInfiniteQuery({ ...targetDeliveriesQuery(target.id, status), placeholderData: keepPreviousData });
  const rows = deliveries.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  const choose = (chosen: string | null): void => {
    const next = deliveryStatuses.find((each) => each === chosen);
    void navigate({ search: { target: target.id, status: next }, replace: true });
  };
  return (
    <Section title={`Deliveries to ${target.name}`}>
      <Select
        label="Status"
        className="filter"
        placeholder="All"
        clearable
        clearButtonProps={{ "aria-label": "All statuses" }}
        data={choicesOf(deliveryStatuses)}
        value={status ?? null}
        onChange={choose}
        mb="md"
      />
      {deliveries.error && <Failure error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {deliveries.isPending && <Loading />}
      {deliveries.data && rows.length === 0 && <Empty title="No deliveries">Events of its types appear here.</Empty>}
      {rows.length > 0 && <DeliveryTable rows={rows} />}
      <MoreButton query={deliveries} />
    </Section>
  );
}

function DeliveryTable({ rows }: { readonly rows: readonly TargetDelivery[] }) {
  return (
    <ListTable minWidth={640} columns={["Event", "Status", "Attempts", "Changed", "Actions"]}>
      {rows.map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery} />
      ))}
    </ListTable>
  );
}

function DeliveryRow({ delivery }: { readonly delivery: TargetDelivery }) {
  const { id, type } = delivery;
  const [isOpen, setOpen] = useState(false);
  const details = `notification-${id}`;
  return (
    <>
      <Table.Tr>
        <Table.Td>{eventTitle(type)}</Table.Td>
        <DeliveryProgress delivery={delivery} />
        <Table.Td>
          <Group gap="xs" wrap="nowrap">
            <Button
              size="xs"
              variant="default"
              aria-expanded={isOpen}
              aria-controls={isOpen ? details : undefined}
              aria-label={`Details of delivery ${id}`}
              onClick={() => setOpen(!isOpen)}
            >
              Details
            </Button>
            {isFinished(delivery) && <Resend id={id} />}
          </Group>
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr id={details}>
          <Table.Td colSpan={5}>
            <Details delivery={delivery} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

function Details({ delivery: { eventId, error, attempts } }: { readonly delivery: TargetDelivery }) {
  return (
    <Stack gap="sm" py="xs" className="details">
      <Text size="sm" className="wrap">
        Event {eventId}
      </Text>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" className="wrap">
          {error.code}: {error.message}
        </Text>
      )}
      {attempts.length > 0 ? <Attempts attempts={attempts} /> : <Text size="sm">No attempt has ended yet.</Text>}
    </Stack>
  );
}

function Resend({ id }: { readonly id: string }) {
  const [isBusy, setBusy] = useState(false);
  const resend = async (): Promise<void> => {
    setBusy(true);
    await resendDelivery(id).then(
      () => notify("The delivery is sent again", `delivery ${id}`),
      notifyFailure("The delivery was not sent again"),
    );
    setBusy(false);
  };
  return (
    <BusyButton size="xs" variant="default" loading={isBusy} aria-label={`Resend delivery ${id}`} onClick={() => void resend()}>
      Resend
    </BusyButton>
  );
}
