import type { PageContext } from "@appserver/sdk/page";
import { callBackend, SendForm } from "@appserver/sdk/react";
import { maxPurpose, type Room } from "../src/booking.ts";

/** Books a room on a day. Times are those of the viewer's time zone. */
export function BookingForm(props: {
  readonly page: PageContext;
  readonly rooms: readonly Room[];
  readonly day: string;
  readonly onBooked: () => void;
}) {
  const { page, rooms, day, onBooked } = props;
  const book = async ({ room, purpose, from, until }: Readonly<Record<string, string>>): Promise<void> => {
    const instant = (time: string | undefined): string => new Date(`${day}T${time}`).toISOString();
    await callBackend(page, "POST", "/bookings", { roomId: Number(room), purpose, from: instant(from), until: instant(until) });
    page.notify("The room is booked.", "success");
    onBooked();
  };
  return (
    <section className="stack">
      <h2>Book a room</h2>
      <SendForm send={book} submit="Book">
        <div className="grid">
          <label>
            Room
            <select name="room">
              {rooms.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Purpose
            <input name="purpose" required maxLength={maxPurpose} />
          </label>
          <label>
            From
            <input name="from" type="time" required step={300} defaultValue="09:00" />
          </label>
          <label>
            Until
            <input name="until" type="time" required step={300} defaultValue="10:00" />
          </label>
        </div>
      </SendForm>
    </section>
  );
}
