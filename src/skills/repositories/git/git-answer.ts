import { CarrelError } from "../../../shared/errors.ts";

/** How somebody logs in: the value of the header, and the variable that it is from. */
export type Login = { readonly header: string; readonly variable: string };

/** What a Git server answers with: what it has, or what was asked for of it. */
export type Service = "advertisement" | "result";

/** Why an answer is none that can be read, with what to do about it; `null` when it can. */
export function answerProblem(
  response: Response,
  type: string,
  where: string,
  login: Login | null,
): CarrelError | null {
  const { status } = response;
  if (status === 401 || status === 403) return refused(status, where, login);
  if (status === 404 || status === 410)
    return new CarrelError(
      "not_found",
      `There is no Git repository at ${where} (status ${status}), or ${login === null ? "it is not public: then it needs a token" : `the token in ${login.variable} may not read it`}. Check the address.`,
    );
  if (status !== 200)
    return new CarrelError(
      "unavailable",
      `The Git server at ${where} answers with status ${status}. It is asked again later.`,
    );
  const [answered = ""] = (response.headers.get("content-type") ?? "").split(";");
  if (answered.trim().toLowerCase() === type) return null;
  return new CarrelError(
    "malformed",
    `What answers at ${where} is no Git server over smart HTTP: check the address, and that the server runs git http-backend or the like.`,
  );
}

const refused = (status: number, where: string, login: Login | null): CarrelError =>
  new CarrelError(
    "forbidden",
    login === null
      ? `The Git server at ${where} shows the repository not to everybody (status ${status}), or there is none. Give gitSkills a token that may read it: token: { variable: "NAME" }.`
      : `The Git server at ${where} refuses the token in ${login.variable} (status ${status}). Make one that may read the repository.`,
  );
