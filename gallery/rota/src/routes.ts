import { type AppCall, type AppHandler, bodyFields, HttpError, type People } from "@appserver/sdk";
import type { Duties, Duty } from "./duties.ts";
import type { Member, Week } from "./rota.ts";

/** The API. app.yaml has the permission of each route. */
export function routes(duties: Duties, people: People): Readonly<Record<string, AppHandler>> {
  const named = async (list: readonly Duty[]): Promise<readonly Week[]> => {
    const ids = list.flatMap(({ userId, askedId }) => [userId, askedId]).filter((id) => id !== null);
    const nameOf = await people.names(ids);
    const member = (id: string): Member => ({ id, name: nameOf(id) });
    return list.map(({ monday, userId, askedId }) => ({
      monday,
      ...(userId !== null && { onDuty: member(userId) }),
      ...(askedId !== null && { asked: member(askedId) }),
    }));
  };
  const week = async (monday: string) => ({ json: (await named([await duties.find(monday)]))[0] });
  const nameOf = async (id: string): Promise<string> => (await people.names([id]))(id);
  const tell = (userId: string, title: string, monday: string) => people.tryNotify(userId, { title, path: `/rota/${monday}` });
  return {
    "GET /weeks": async () => ({ json: { weeks: await named(await duties.coming()) } }),
    "GET /people": async ({ query }) => {
      const text = query.get("text")?.trim() ?? "";
      if (text.length < 2 || text.length > 100) throw new HttpError(400, "text must have 2 to 100 characters");
      const found = await people.find(text);
      return { json: { people: found.map(({ userId, displayName }): Member => ({ id: userId, name: displayName })) } };
    },
    "GET /weeks/{monday}": async (call) => await week(mondayOf(call)),
    "PUT /weeks/{monday}": async (call) => {
      const monday = mondayOf(call);
      const userId = await memberIn(call, people);
      await duties.plan(monday, userId);
      if (userId !== call.caller.userId) await tell(userId, `You are on duty in the week of ${monday}`, monday);
      return await week(monday);
    },
    "PUT /weeks/{monday}/question": async (call) => {
      const monday = mondayOf(call);
      const me = call.userId();
      const askedId = await memberIn(call, people);
      if (askedId === me) throw new HttpError(400, "userId must be another person");
      if (!(await duties.ask(monday, me, askedId))) throw new HttpError(409, "you are not on duty in this week");
      await tell(askedId, `${await nameOf(me)} asks you to take the week of ${monday}`, monday);
      return await week(monday);
    },
    "DELETE /weeks/{monday}/question": async (call) => {
      const monday = mondayOf(call);
      if (!(await duties.ask(monday, call.userId(), null))) throw new HttpError(409, "you are not on duty in this week");
      return await week(monday);
    },
    "POST /weeks/{monday}/answer": async (call) => {
      const monday = mondayOf(call);
      const me = call.userId();
      const accepts = (await call.fields()).flag("accepts");
      const { userId, askedId } = await duties.find(monday);
      const isDone =
        askedId === me &&
        userId !== null &&
        (await (accepts ? duties.accept(monday, me, userId) : duties.ask(monday, userId, null)));
      if (!isDone) throw new HttpError(409, "you are not asked to take this week");
      await tell(userId, `${await nameOf(me)} ${accepts ? "takes" : "cannot take"} the week of ${monday}`, monday);
      return await week(monday);
    },
  };
}

/** Tells the person whose week begins tomorrow. A repeated run does not tell it again. */
export async function tellTomorrow(duties: Duties, people: People): Promise<{ readonly told: number }> {
  const duty = await duties.toTell();
  if (!duty?.userId) return { told: 0 };
  await people.notify(duty.userId, { title: "Your week on duty begins tomorrow", path: `/rota/${duty.monday}` });
  await duties.told(duty.monday);
  return { told: 1 };
}

function mondayOf({ params }: AppCall): string {
  const monday = bodyFields(params).day("monday");
  if (new Date(monday).getUTCDay() !== 1) throw new HttpError(400, `monday must be the date of a Monday, got ${monday}`);
  return monday;
}

async function memberIn(call: AppCall, people: People): Promise<string> {
  const userId = (await call.fields()).text("userId", { max: 100 });
  if (!(await people.get(userId))?.isActive) throw new HttpError(400, "userId must be the id of a person who can sign in");
  return userId;
}
