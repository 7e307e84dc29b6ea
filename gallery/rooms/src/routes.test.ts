import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AppOnDatabase, appOnDatabase } from "@appserver/testing/kit";
import { type Booking, managePermission, type Room } from "./booking.ts";
import { Bookings } from "./bookings.ts";
import { routes } from "./routes.ts";

const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
const at = (time: string): string => `${day}T${time}:00.000Z`;

describe("rooms", () => {
  let app: AppOnDatabase;
  let number = 0;
  before(async () => {
    app = await appOnDatabase({
      migrations: new URL("../migrations", import.meta.url),
      routes: ({ pool, people }) => routes(new Bookings(pool), people),
      names: { ada: "Ada Byron", bob: "Bob Moore" },
      held: { eve: [managePermission] },
    });
  });
  after(() => app?.stop());

  async function newRoom(): Promise<number> {
    number += 1;
    const { status, json } = await app.send("eve", "POST", "/rooms", { name: `Room ${number}`, seats: 8 });
    assert.equal(status, 201);
    return (json as Room).id;
  }

  const book = (user: string, roomId: number, from: string, until: string) =>
    app.send(user, "POST", "/bookings", { roomId, purpose: "Review", from: at(from), until: at(until) });

  test("a booking is listed with its person, for times that it touches", async () => {
    const roomId = await newRoom();
    const { status, json } = await book("ada", roomId, "09:00", "10:00");
    const booking = json as Booking;
    const expected = { roomId, userId: "ada", person: "Ada Byron", purpose: "Review", from: at("09:00"), until: at("10:00") };
    assert.deepEqual([status, booking], [201, { id: booking.id, ...expected }]);
    const listed = async (from: string, until: string): Promise<boolean> => {
      const { json: list } = await app.send("bob", "GET", `/bookings?from=${at(from)}&until=${at(until)}`);
      return (list as { readonly bookings: readonly Booking[] }).bookings.some(({ id }) => id === booking.id);
    };
    assert.deepEqual([await listed("09:30", "11:00"), await listed("10:00", "11:00")], [true, false]);
  });

  test("a room is booked once at a time, also by two people at once", async () => {
    const roomId = await newRoom();
    const both = await Promise.all([book("ada", roomId, "09:00", "10:00"), book("bob", roomId, "09:59", "11:00")]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    const refused = both.find(({ status }) => status === 409);
    assert.deepEqual(refused?.json, { error: "the room is booked at this time" });
    assert.equal((await book("bob", roomId, "11:00", "12:00")).status, 201);
    assert.equal((await book("bob", roomId, "08:00", "09:00")).status, 201);
    assert.equal((await book("bob", await newRoom(), "09:00", "10:00")).status, 201);
  });

  test("a person cancels their own bookings, and a manager those of others", async () => {
    const roomId = await newRoom();
    const path = async (): Promise<string> => `/bookings/${((await book("ada", roomId, "09:00", "10:00")).json as Booking).id}`;
    const first = await path();
    assert.equal((await app.send("bob", "DELETE", first)).status, 404);
    assert.equal((await app.send("ada", "DELETE", first)).status, 204);
    assert.equal((await app.send("eve", "DELETE", await path())).status, 204);
  });

  test("a room with a coming booking stays", async () => {
    const roomId = await newRoom();
    const { id } = (await book("ada", roomId, "09:00", "10:00")).json as Booking;
    assert.equal((await app.send("eve", "DELETE", `/rooms/${roomId}`)).status, 409);
    await app.send("ada", "DELETE", `/bookings/${id}`);
    assert.equal((await app.send("eve", "DELETE", `/rooms/${roomId}`)).status, 204);
  });

  test("wrong times and rooms are refused with what was expected", async () => {
    const roomId = await newRoom();
    const longest = "until must be after from, by at most 12 hours";
    const past = { from: "2026-01-01T09:00:00Z", until: "2026-01-01T10:00:00Z" };
    const far = { from: "2090-01-01T09:00:00Z", until: "2090-01-01T10:00:00Z" };
    const right = { roomId, purpose: "Review", from: at("09:00"), until: at("10:00") };
    for (const [changed, status, error] of [
      [{ until: at("09:00") }, 400, longest],
      [{ until: at("21:01") }, 400, longest],
      [{ from: "09:00" }, 400, "from must be a time with its zone, as 2026-12-31T09:00:00Z"],
      [past, 400, "until must not be in the past"],
      [far, 400, "from must be within 366 days"],
      [{ roomId: 999_999 }, 404, "there is no such room"],
    ] as const)
      assert.deepEqual(await app.send("ada", "POST", "/bookings", { ...right, ...changed }), { status, json: { error } });
    assert.equal((await app.send("eve", "POST", "/rooms", { name: `Room ${number}`, seats: 1 })).status, 409);
  });
});
