import { type AppHandler, bodyFields, HttpError, type People } from "@appserver/sdk";
import {
  type Booking,
  managePermission,
  maxDaysAhead,
  maxHours,
  maxListedDays,
  maxName,
  maxPurpose,
  maxSeats,
} from "./booking.ts";
import type { Bookings, StoredBooking } from "./bookings.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The API. app.yaml has the permission of each route. */
export function routes(bookings: Bookings, people: People): Readonly<Record<string, AppHandler>> {
  const named = async (list: readonly StoredBooking[]): Promise<readonly Booking[]> => {
    const nameOf = await people.names(list.map(({ userId }) => userId));
    return list.map(({ from, until, ...booking }) => ({
      ...booking,
      person: nameOf(booking.userId),
      from: from.toISOString(),
      until: until.toISOString(),
    }));
  };
  return {
    "GET /rooms": async () => ({ json: { rooms: await bookings.rooms() } }),
    "POST /rooms": async (call) => {
      const fields = await call.fields();
      const added = await bookings.addRoom(
        fields.text("name", { max: maxName }),
        fields.integer("seats", { min: 1, max: maxSeats }),
      );
      if (typeof added === "string") throw new HttpError(409, "there is a room of this name");
      return { status: 201, json: added };
    },
    "DELETE /rooms/{id}": async (call) => {
      if (!(await bookings.removeRoom(call.idParam("id")))) throw new HttpError(409, "the room does not exist, or is booked");
      return { status: 204 };
    },
    "GET /bookings": async ({ query }) => {
      const { from, until } = timesIn(Object.fromEntries(query), maxListedDays * dayMs, `${maxListedDays} days`);
      return { json: { bookings: await named(await bookings.between(from, until)) } };
    },
    "POST /bookings": async (call) => {
      const body = await call.json();
      const fields = bodyFields(body);
      const { from, until } = timesIn(body, maxHours * hourMs, `${maxHours} hours`);
      const now = Date.now();
      if (until.getTime() <= now) throw new HttpError(400, "until must not be in the past");
      if (from.getTime() > now + maxDaysAhead * dayMs) throw new HttpError(400, `from must be within ${maxDaysAhead} days`);
      const added = await bookings.add({
        roomId: fields.integer("roomId", { min: 1, max: 2 ** 31 - 1 }),
        userId: call.userId(),
        purpose: fields.text("purpose", { max: maxPurpose }),
        from,
        until,
      });
      if (added === "taken") throw new HttpError(409, "the room is booked at this time");
      if (added === "no room") throw new HttpError(404, "there is no such room");
      return { status: 201, json: (await named([added]))[0] };
    },
    "DELETE /bookings/{id}": async (call) => {
      const isManager = await call.can(managePermission);
      if (!(await bookings.cancel(call.idParam("id"), isManager ? null : call.userId())))
        throw new HttpError(404, "you have no such booking");
      return { status: 204 };
    },
  };
}

function timesIn(body: unknown, longestMs: number, longest: string): { readonly from: Date; readonly until: Date } {
  const fields = bodyFields(body);
  const [from, until] = [fields.time("from"), fields.time("until")];
  const durationMs = until.getTime() - from.getTime();
  if (durationMs <= 0 || durationMs > longestMs) throw new HttpError(400, `until must be after from, by at most ${longest}`);
  return { from, until };
}
