import { Button, Select } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { i18n } from "../../i18n.ts";
import { deliveryStatuses } from "../../parts/delivery-status.tsx";
import { plainChoices } from "../../parts/filter-choices.ts";
import { AppFilter, FilterField } from "../../parts/filter-field.tsx";
import { Filters } from "../../parts/filters.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { useSeen } from "../../parts/use-choices.ts";
import { choicesOf } from "../../parts/words.ts";
import { DeliveryRow } from "./hook-delivery.tsx";
import { type DeliveriesFilter, type Delivery, deadLettersQuery, deadLetterText, deliveriesQuery } from "./hook-queries.ts";

const route = getRouteApi("/shell/console/hooks/");

/** The deliveries of hooks, newest first, each with its attempts. */
export function HookDeliveries() {
  const navigate = route.useNavigate();
  const change = (changed: DeliveriesFilter): void => {
    void navigate({ search: (before: DeliveriesFilter) => ({ ...before, ...changed }), replace: true });
  };
  return <DeliveryList filter={route.useSearch()} onChange={change} />;
}

interface ListProps {
  readonly filter: DeliveriesFilter;
  readonly onChange: (changed: DeliveriesFilter) => void;
  /** Whether the page is of the app of the filter, which stays. */
  readonly isOfApp?: boolean;
}

export function DeliveryList({ filter, onChange, isOfApp = false }: ListProps) {
  const deliveries = useInfiniteQuery({ ...deliveriesQuery(filter), placeholderData: keepPreviousData });
  const rows = deliveries.data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [];
  return (
    <>
      <Filter filter={filter} onChange={onChange} isOfApp={isOfApp} rows={rows} />
      {deliveries.error && <Failure error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {deliveries.isPending && <Loading />}
      {deliveries.data && rows.length === 0 && <NoDeliveries filter={filter} isOfApp={isOfApp} />}
      {rows.length > 0 && <DeliveryTable rows={rows} />}
      <MoreButton query={deliveries} />
    </>
  );
}

function NoDeliveries({ filter, isOfApp }: Pick<Required<ListProps>, "filter" | "isOfApp">) {
  const { status, app, hook, event } = filter;
  if (event)
    return <Empty title={i18n.t("No delivery matches")}>{i18n.t("The event has no delivery that matches and is kept.")}</Empty>;
  if (status === "DEAD" && (isOfApp || !app) && !hook) {
    return (
      <Empty title={i18n.t("No undelivered events")}>
        {i18n.t("Deliveries that were given up appear here and can be sent again.")}
      </Empty>
    );
  }
  if (isOfApp && (status || hook))
    return <Empty title={i18n.t("No delivery matches")}>{i18n.t("Change the status or the hook.")}</Empty>;
  if (isOfApp)
    return (
      <Empty title={i18n.t("No deliveries yet")}>
        {i18n.t("They appear as soon as a hook is triggered to which this app subscribes.")}
      </Empty>
    );
  if (status || app || hook)
    return <Empty title={i18n.t("No delivery matches")}>{i18n.t("Change the status, the hook or the subscriber.")}</Empty>;
  return (
    <Empty title={i18n.t("No deliveries yet")}>
      {i18n.t("They appear as soon as an app triggers a hook that another app subscribes to. To try one, trigger a hook.")}
    </Empty>
  );
}

interface FilterProps extends Required<ListProps> {
  readonly rows: readonly Delivery[];
}

function Filter({ filter, onChange: change, isOfApp, rows }: FilterProps) {
  const { data: dead } = useQuery(deadLettersQuery);
  const hooks = useSeen(rows.map(({ hookName }) => hookName));
  const leadsToDead = !isOfApp && dead && dead.count > 0 && filter.status !== "DEAD";
  return (
    <Filters
      aside={
        leadsToDead && (
          <PageLink to="/console/hooks" search={{ status: "DEAD" }} underline="always" mb={8}>
            {deadLetterText(dead)}
          </PageLink>
        )
      }
    >
      <Select
        label={i18n.t("Status")}
        className="filter"
        placeholder={i18n.t("All")}
        clearable
        clearButtonProps={{ "aria-label": i18n.t("All statuses") }}
        data={choicesOf(deliveryStatuses)}
        value={filter.status ?? null}
        onChange={(status) => change({ status: deliveryStatuses.find((each) => each === status) })}
      />
      <FilterField
        label={i18n.t("Hook")}
        placeholder={i18n.t("All hooks")}
        value={filter.hook}
        choices={plainChoices(hooks)}
        onChange={(hook) => change({ hook })}
      />
      {!isOfApp && <AppFilter label={i18n.t("Subscriber")} value={filter.app} onChange={(app) => change({ app })} />}
      {filter.event && (
        <Button variant="default" onClick={() => change({ event: undefined })}>
          {i18n.t("All events")}
        </Button>
      )}
    </Filters>
  );
}

function DeliveryTable({ rows }: { readonly rows: readonly Delivery[] }) {
  const [openIds, setOpenIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => {
    const next = new Set(openIds);
    if (!next.delete(id)) next.add(id);
    setOpenIds(next);
  };
  return (
    <ListTable
      minWidth={720}
      columns={[i18n.t("Hook and subscriber"), i18n.t("Status"), i18n.t("Attempts"), i18n.t("Changed"), i18n.t("Actions")]}
    >
      {rows.map((delivery) => (
        <DeliveryRow
          key={delivery.id}
          delivery={delivery}
          isOpen={openIds.has(delivery.id)}
          onToggle={() => toggle(delivery.id)}
        />
      ))}
    </ListTable>
  );
}
