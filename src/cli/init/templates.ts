/**
 * Texts of the files that `pigeonhole init` writes, formatted as create-next-app's ESLint and Biome expect.
 *
 * - «...» is only in TypeScript apps.
 * - "@/..." is the alias of the app's modules. `app-files.ts` replaces it.
 */

import type { AuthLibrary } from './read-app.ts'

/** Client module. */
export const CLIENT = `import { createClient } from "@pigeonhole/client";
import { createBrowserUploader } from "@pigeonhole/client/browser";
import { createPushDevice } from "@pigeonhole/client/push";

/** Calls Pigeonhole as the signed-in user. */
export const client = createClient({
  baseUrl: process.env.NEXT_PUBLIC_PIGEONHOLE_URL,
  token: fetchToken,
});

// All pages share it, so uploads continue while users navigate. If users share
// a browser, pass { scope: userId, store: browserStore(userId) }.
export const uploader = createBrowserUploader(client);

/** This browser, as a device that gets the user's pushes. */
export const pushDevice = createPushDevice({
  client,
  serviceWorker: "/pigeonhole-worker.js",
});

// Called if there is no token, or if it expires soon.
async function fetchToken() {
  const response = await fetch("/api/pigeonhole-token", { method: "POST" });
  // Without a token, uploads wait until the user signs in.
  if (response.status === 401) return undefined;
  if (!response.ok) throw new Error(\`No token: HTTP \${response.status}\`);
  return response.text();
}
`

type TokenRoute = {
  /** Lines above and below the import of Pigeonhole, in alphabetical order. */
  before?: string
  after?: string
  /** Type of the request; undefined if \`getUserId\` does not need it. */
  request?: string
  getUserId: string
}

const TOKEN_ROUTES: Record<AuthLibrary | 'next-auth-5', TokenRoute> = {
  'next-auth': {
    after: `«import type { NextRequest } from "next/server";
»import { getToken } from "next-auth/jwt";
`,
    request: 'NextRequest',
    getUserId: `// Reads the session cookie. If your sessions are in a database, which is not
// next-auth's default, use getServerSession() instead.
async function getUserId(request«: NextRequest») {
  const session = await getToken({ req: request });
  return session?.sub;
}
`,
  },
  'next-auth-5': {
    after: `import { getToken } from "next-auth/jwt";
`,
    request: 'Request',
    getUserId: `// Reads the session cookie. If your sessions are in a database, which is not
// the default, use auth() instead.
async function getUserId(request«: Request») {
  const session = await getToken({
    req: request,
    secret: process.env.AUTH_SECRET,
    secureCookie: process.env.NODE_ENV === "production",
  });
  return session?.sub;
}
`,
  },
  'better-auth': {
    after: `import { auth } from "@/lib/auth";
`,
    request: 'Request',
    getUserId: `async function getUserId(request«: Request») {
  const session = await auth.api.getSession({ headers: request.headers });
  return session?.user.id;
}
`,
  },
  clerk: {
    before: `import { auth } from "@clerk/nextjs/server";
`,
    getUserId: `async function getUserId() {
  const { userId } = await auth();
  return userId;
}
`,
  },
  custom: {
    request: 'Request',
    getUserId: `// Replace this with your sign-in: return the user's ID, or null. Until then,
// "next dev" has one user on this machine, and a deployed app has none.
async function getUserId(request«: Request»)«: Promise<string | null>» {
  const isLocal = new URL(request.url).hostname === "localhost";
  return isLocal && process.env.NODE_ENV === "development" ? "developer" : null;
}
`,
  },
}

/** Returns the route that gives the user's pages a token. */
export function tokenRoute(library: keyof typeof TOKEN_ROUTES): string {
  const { before = '', after = '', request, getUserId } = TOKEN_ROUTES[library]
  return `${before}import { createServerClient } from "@pigeonhole/client/server";
${after}
/** Returns a token for the signed-in user. It expires after 15 minutes. */
export async function POST(${request ? `request«: ${request}»` : ''}) {
  const userId = await getUserId(${request ? 'request' : ''});
  if (!userId) return new Response("Sign in first.", { status: 401 });
  const { PIGEONHOLE_URL, PIGEONHOLE_KEY } = process.env;
  if (!PIGEONHOLE_URL || !PIGEONHOLE_KEY) {
    throw new Error(
      "Set PIGEONHOLE_URL and PIGEONHOLE_KEY. Locally, run pigeonhole dev.",
    );
  }
  // The key can create tokens for all users, so it stays on the server.
  const pigeonhole = createServerClient({
    baseUrl: PIGEONHOLE_URL,
    key: PIGEONHOLE_KEY,
  });
  // "upload" can limit this user: a policy, a number of files, bytes.
  const { token } = await pigeonhole.userTokens.create({ externalId: userId });
  return new Response(token);
}

${getUserId}`
}

/** Upload component. */
export const UPLOAD = `"use client";

«import type { UploadHandle } from "@pigeonhole/client/browser";
»import { blobSource } from "@pigeonhole/client/browser";
import {
  useUnfinishedUploads,
  useUpload,
  useUploads,
} from "@pigeonhole/client/react";
import { uploader } from "@/lib/pigeonhole";

/** Uploads files, and lists them with their progress. */
export function PigeonholeUpload() {
  const { uploads } = useUploads(uploader);
  return (
    <section>
      <label>
        Files{" "}
        <input
          type="file"
          multiple
          onChange={({ target }) => {
            for (const file of target.files ?? [])
              uploader.upload(blobSource(file));
          }}
        />
      </label>
      <Unfinished />
      <ul aria-label="Uploads">
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}

function UploadRow({ upload }«: { upload: UploadHandle }») {
  const { name, state, bytesSent, size, error, cancel, retry } =
    useUpload(upload);
  const hasEnded = ["done", "failed", "cancelled"].includes(state);
  return (
    <li>
      {name}: {error?.message ?? state}{" "}
      {!hasEnded && (
        <>
          <progress aria-label={name} value={bytesSent} max={size} />{" "}
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </>
      )}
      {state === "failed" && error?.retryable && (
        <button type="button" onClick={retry}>
          Retry
        </button>
      )}
    </li>
  );
}

// A reload interrupts uploads, and pages cannot reopen files. The stored parts
// are kept: after the user chooses the file again, only the rest is sent.
function Unfinished() {
  const { items, discard } = useUnfinishedUploads(uploader);
  if (items.length === 0) return null;
  return (
    <ul aria-label="Unfinished uploads">
      {items.map((entry) => (
        <li key={entry.fileId}>
          {entry.name}: choose it again to continue{" "}
          <button type="button" onClick={() => discard(entry)}>
            Discard
          </button>
        </li>
      ))}
    </ul>
  );
}
`

/** Switch for pushes. */
export const PUSH_SWITCH = `"use client";

import { usePushDevice } from "@pigeonhole/client/react";
import { pushDevice } from "@/lib/pigeonhole";

/** Turns the user's pushes to this browser on and off. */
export function PigeonholePush() {
  const { state, isOn, error, enable, disable } = usePushDevice(pushDevice);
  // On iPhones and iPads, only pages on the home screen get pushes.
  if (state === "unsupported") return <p>Notifications are not supported.</p>;
  if (state === "denied") return <p>Notifications are blocked here.</p>;
  return (
    <label>
      <input
        type="checkbox"
        checked={isOn === true}
        disabled={state === "busy"}
        onChange={() =>
          isOn ? disable() : enable({ locale: navigator.language })
        }
      />{" "}
      Notifications in this browser {error?.message}
    </label>
  );
}
`

/** Page with both components. */
export const PAGE = `import { PigeonholePush } from "@/components/pigeonhole-push";
import { PigeonholeUpload } from "@/components/pigeonhole-upload";

/** Shows the components. Delete it once your own pages use them. */
export default function PigeonholePage() {
  return (
    <main>
      <h1>Uploads</h1>
      <PigeonholeUpload />
      <PigeonholePush />
    </main>
  );
}
`

/** Service worker. Without a build step, so it is the same in every app. */
export const WORKER = `// Shows pushes, and opens their link on a click. A page has one service worker:
// if you have another one at "/", add importScripts("/pigeonhole-worker.js") to
// it, and name it in createPushDevice().

self.addEventListener("push", (event) => {
  event.waitUntil(show(event.data?.json() ?? {}));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function show({ title = "", body, imageUrl, link, tag, id }) {
  // A later push with the same tag replaces this one.
  const options = { body, image: imageUrl, tag, data: link };
  await self.registration.showNotification(title, options);
  // Tells useInbox() to refresh.
  for (const page of await windows())
    page.postMessage({ type: "pigeonhole-push", id });
}

async function open(link) {
  const url = new URL(link ?? "/", self.location.origin);
  // Senders choose the link: other protocols could run code.
  if (!["https:", "http:"].includes(url.protocol)) return;
  const page = (await windows()).find((one) => one.url === url.href);
  await (page ? page.focus() : self.clients.openWindow(url.href));
}

function windows() {
  return self.clients.matchAll({ type: "window", includeUncontrolled: true });
}
`
