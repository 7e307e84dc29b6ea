import { getRouteApi } from "@tanstack/react-router";
import type { EventsFilter } from "../../api/queries.ts";
import { Needs } from "../../parts/states.tsx";
import { EventList } from "./events.tsx";

const route = getRouteApi("/shell/console/apps/$name/events");

/** The events of one app. */
export function AppEvents() {
  const { name } = route.useParams();
  const { type } = route.useSearch();
  const navigate = route.useNavigate();
  const change = ({ type: chosen }: EventsFilter): void => void navigate({ search: { type: chosen }, replace: true });
  return (
    <Needs permission="event:view">
      <EventList filter={{ type, app: name }} onChange={change} isOfApp />
    </Needs>
  );
}
