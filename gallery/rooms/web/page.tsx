import { mountView, type ViewProps } from "@appserver/sdk/react";
import { DayView } from "./day-view.tsx";
import { RoomList } from "./room-list.tsx";

export const mount = mountView(View);

function View({ page, segments: [first] }: ViewProps) {
  if (first === "rooms") return <RoomList page={page} />;
  // Swedish writes dates as ISO 8601 does.
  const isDay = first !== undefined && !Number.isNaN(Date.parse(`${first}T00:00`));
  return <DayView page={page} day={isDay ? first : new Date().toLocaleDateString("sv")} />;
}
