import { Button, Group, Select, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { i18n } from "../../i18n.ts";
import { Attempts } from "../../parts/attempts.tsx";
import { BusyButton } from "../../parts/busy-button.tsx";
import { DeliveryProgress, deliveryStatuses } from "../../parts/delivery-status.tsx";
import { eventTitle } from "../../parts/event-types.ts";
import { Section } from "../../parts/facts.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { choicesOf } from "../../parts/words.ts";
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
    <Section title={i18n.t("Deliveries to {name}", { name: target.name })}>
      <Select
        label={i18n.t("Status")}
        className="filter"
        placeholder={i18n.t("All")}
        clearable
        clearButtonProps={{ "aria-label": i18n.t("All statuses") }}
        data={choicesOf(deliveryStatuses)}
        value={status ?? null}
        onChange={choose}
        mb="md"
      />
      {deliveries.error && <Failure error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {deliveries.isPending && <Loading />}
      {deliveries.data && rows.length === 0 && (
        <Empty title={i18n.t("No deliveries")}>{i18n.t("Events of its types appear here.")}</Empty>
      )}
      {rows.length > 0 && <DeliveryTable rows={rows} />}
      <MoreButton query={deliveries} />
    </Section>
  );
}

function DeliveryTable({ rows }: { readonly rows: readonly TargetDelivery[] }) {
  return (
    <ListTable
      minWidth={640}
      columns={[i18n.t("Event"), i18n.t("Status"), i18n.t("Attempts"), i18n.t("Changed"), i18n.t("Actions")]}
    >
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
              aria-label={i18n.t("Details of delivery {id}", { id })}
              onClick={() => setOpen(!isOpen)}
            >
              {i18n.t("Details")}
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
        {i18n.t("Event {eventId}", { eventId })}
      </Text>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" className="wrap">
          {error.code}: {error.message}
        </Text>
      )}
      {attempts.length > 0 ? <Attempts attempts={attempts} /> : <Text size="sm">{i18n.t("No attempt has ended yet.")}</Text>}
    </Stack>
  );
}

function Resend({ id }: { readonly id: string }) {
  const [isBusy, setBusy] = useState(false);
  const resend = async (): Promise<void> => {
    setBusy(true);
    await resendDelivery(id).then(
      () => notify(i18n.t("The delivery is sent again"), i18n.t("delivery {id}", { id })),
      notifyFailure(i18n.t("The delivery was not sent again")),
    );
    setBusy(false);
  };
  return (
    <BusyButton
      size="xs"
      variant="default"
      loading={isBusy}
      aria-label={i18n.t("Resend delivery {id}", { id })}
      onClick={() => void resend()}
    >
      {i18n.t("Resend")}
    </BusyButton>
  );
}
