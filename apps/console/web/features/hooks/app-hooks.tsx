import { SegmentedControl, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { i18n } from "../../i18n.ts";
import { Needs } from "../../parts/states.tsx";
import { useHookTail } from "./declared-events.ts";
import { DeliveryList } from "./hook-deliveries.tsx";
import { HookEventList } from "./hook-events.tsx";

const route = getRouteApi("/shell/console/apps/$name/hooks");

/** What hooks brought to an app, and the events of its own hooks. */
export function AppHooks() {
  return (
    <Needs permission="hook:view">
      <HooksOfApp />
    </Needs>
  );
}

function HooksOfApp() {
  const { name } = route.useParams();
  const { view, status, hook } = route.useSearch();
  const navigate = route.useNavigate();
  useHookTail();
  const change = (changed: object): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  };
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        style={{ alignSelf: "flex-start" }}
        aria-label={i18n.t("Hooks of the app")}
        data={[
          { value: "deliveries", label: i18n.t("Deliveries to the app") },
          { value: "events", label: i18n.t("Events of its hooks") },
        ]}
        value={view ?? "deliveries"}
        onChange={(chosen) => change({ view: chosen === "events" ? chosen : undefined })}
      />
      <div>
        {view === "events" ? (
          <HookEventList filter={{ hook, app: name }} onChange={change} isOfApp />
        ) : (
          <DeliveryList filter={{ status, hook, app: name }} onChange={change} isOfApp />
        )}
      </div>
    </Stack>
  );
}
