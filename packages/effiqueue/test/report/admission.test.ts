import { describe, expect, it } from "vitest";
import { refusalOfSite, refusalOfToken } from "../../src/report/http/admission.ts";
import { parsed, serving } from "./endpoint.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

describe("DESIGN 6.6: no other site asks through somebody's browser", () => {
  it.each([
    "localhost",
    "localhost:9464",
    "LOCALHOST:9464",
    "127.0.0.1:9464",
    "127.8.9.1",
    "[::1]:9464",
    "10.0.0.5:9464",
    "worker-1.internal:9464",
    "Worker-1.Internal",
  ])("is known as %s", (host) => {
    expect(refusalOfSite({ host }, ["worker-1.internal"])).toBe(undefined);
  });

  it.each([
    "evil.example",
    "evil.example:9464",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "worker-1.internal.evil.example",
    "worker-1",
    "",
    "localhost@evil.example",
    "localhost/evil.example",
    "[::1].evil.example",
    // No browser leaves it like that, but asks by the address that it means.
    "2130706433",
  ])("is not known as %j", (host) => {
    expect(refusalOfSite({ host }, ["worker-1.internal"])).toMatchObject({ status: 403 });
  });

  it("says which key makes a name known", () => {
    expect(refusalOfSite({ host: "w1:9464" }, [])?.error).toContain('metrics_hosts = ["w1"]');
  });

  const host = "localhost:9464";
  it.each([
    ["a client that is no browser", {}],
    ["the page itself", { origin: "http://localhost:9464", "sec-fetch-site": "same-origin" }],
    ["the page behind a proxy with TLS", { origin: "https://LOCALHOST:9464" }],
    ["an address that somebody typed", { "sec-fetch-site": "none" }],
    [
      "a link of another site that somebody followed",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    ],
  ])("lets in %s", (_, headers) => {
    expect(refusalOfSite({ host, ...headers }, [])).toBe(undefined);
  });

  it.each([
    ["a script of another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["another port of this machine", { origin: "http://localhost:8080", "sec-fetch-site": "same-site" }],
    ["a sandboxed frame", { origin: "null" }],
    ["an older browser's script", { origin: "http://evil.example" }],
    ["an image", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }],
    ["a frame", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }],
  ])("refuses %s", (_, headers) => {
    expect(refusalOfSite({ host, ...headers }, [])).toMatchObject({
      status: 403,
      error: expect.stringMatching(/other sites/) as string,
    });
  });

  it.each(["/", "/metrics", "/api/status", "/healthz", "/nowhere"])(
    "refuses whatever is asked for: %s",
    async (path) => {
      const { get } = await serving();
      expect((await get(path, "GET", { host: "evil.example" })).status).toBe(403);
      expect((await get(path, "GET", { origin: "https://evil.example" })).status).toBe(403);
    },
  );

  it("is known by the host of its own address and by those of metrics_hosts", async () => {
    const { get } = await serving({ address: "localhost:0", hosts: ["w1.internal"] });
    expect((await get("/api/status", "GET", { host: "w1.internal:80" })).status).toBe(200);
    expect((await get("/api/status", "GET", { host: "w2.internal:80" })).status).toBe(403);
  });
});

describe("DESIGN 6.6: the token", () => {
  it.each([
    [`Bearer ${TOKEN}`, true],
    [`bearer  ${TOKEN} `, true],
    [undefined, false],
    ["", false],
    ["Bearer ", false],
    [TOKEN, false],
    [`Basic ${TOKEN}`, false],
    [`Bearer ${TOKEN.slice(1)}`, false],
    [`Bearer ${TOKEN}x`, false],
    [`Bearer ${TOKEN.toUpperCase()}`, false],
    [`Bearer x ${TOKEN}`, false],
  ])("%j is let in: %j", (authorization, isLetIn) => {
    const headers = authorization === undefined ? {} : { authorization };
    expect(refusalOfToken(headers, TOKEN) === undefined).toBe(isLetIn);
    expect(refusalOfToken(headers, undefined)).toBe(undefined);
  });

  it.each(["/metrics", "/api/status", "/api/decisions", "/api/history?program=orders", "/api/events"])(
    "is wanted for %s",
    async (path) => {
      const { get } = await serving({ token: TOKEN });
      const refused = await get(path);
      expect(refused.status).toBe(401);
      expect(refused.headers["www-authenticate"]).toBe('Bearer realm="effiqueue"');
      expect(parsed(refused)).toEqual({ error: expect.stringContaining("Authorization: Bearer") as string });
      const method = path === "/api/events" ? "HEAD" : "GET";
      expect((await get(path, method, { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    },
  );

  it.each(["/healthz", "/readyz"])("is not wanted for %s", async (path) => {
    const { get } = await serving({ token: TOKEN });
    expect((await get(path)).status).not.toBe(401);
  });
});
