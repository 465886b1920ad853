import type { OidcUser } from './options.ts'

/** Returns the page on which a user signs in for the authorization request `requestId`. */
export function signInPage(clientId: string, users: readonly OidcUser[], requestId: string): string {
  const hidden = `<input type="hidden" name="request" value="${escaped(requestId)}">`
  const choices = users.map(
    (user) =>
      `<form method="post" action="/sign-in">${hidden}<button name="sub" value="${escaped(user.sub)}">${escaped(user.name ?? user.email ?? user.sub)}<small>${escaped(user.email ?? '')}</small></button></form>`,
  )
  return page(
    'Sign in',
    `<p>to <strong>${escaped(clientId)}</strong>, at a local OpenID provider that does not ask for a password.</p>
${choices.join('\n')}
<form method="post" action="/sign-in">${hidden}
<label>Another email<input type="email" name="email" autocomplete="off" required></label>
<button>Sign in</button></form>`,
  )
}

export function errorPage(message: string): string {
  return page('This request is invalid', `<p>${escaped(message)}</p>`)
}

const STYLE = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:24rem;margin:10vh auto;padding:0 1.25rem}h1{font-size:1.5rem}
form{display:grid;gap:.5rem;margin:1rem 0}label{display:grid;gap:.25rem}
input,button{font:inherit;padding:.6rem .75rem;border:1px solid #8888;border-radius:.5rem}
button{cursor:pointer;display:grid;text-align:left}small{opacity:.7}`

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}
