# The whole app in one image. docs/operations.md lists the environment it needs.
ARG NODE_IMAGE=node:26.10.0-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json ./packages/client/
COPY packages/emulators/package.json ./packages/emulators/
COPY tests/openapi-generators/package.json ./tests/openapi-generators/
COPY src/cli/check-node.mjs ./src/cli/
RUN npm ci --no-audit --no-fund
COPY . .
# The build needs no environment variables; the app reads them when the container starts.
RUN npm run build && rm -rf .next/cache .next/trace* .next/diagnostics

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json ./packages/client/
COPY packages/emulators/package.json ./packages/emulators/
COPY tests/openapi-generators/package.json ./tests/openapi-generators/
COPY src/cli/check-node.mjs ./src/cli/
# Leave out the optional packages: Node itself (already in the image), image codecs and unused parts of SDKs.
# Source maps and types are two fifths of the rest. Prisma's query compilers for other databases, the icons (the build
# contains those of the pages) and Next's documents take 68 MB and are never loaded either.
# `-w` names the only workspace that the server imports, which excludes the emulators and their dependencies.
RUN npm ci --omit=dev --omit=optional -w @pigeonhole/client --include-workspace-root --no-audit --no-fund \
 && rm -rf node_modules/lucide-react node_modules/next/dist/docs \
 && find node_modules/@prisma/client/runtime -name 'query_*' ! -name '*postgresql*' -delete \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM ${NODE_IMAGE}
ENV NODE_ENV=production NEXT_TELEMETRY_DISABLED=1
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/.next ./.next
COPY --from=build /app/public ./public
COPY --from=build /app/src/generated ./src/generated
COPY package.json next.config.js ./
COPY prisma ./prisma
COPY src/cli ./src/cli
COPY src/server ./src/server
# `npm start` calls what the route.ts files export. Pages are in the build.
COPY src/app ./src/app
# Messages, the choice of language and colors, which the server shares with the pages.
COPY src/ui ./src/ui
COPY packages/client ./packages/client
# Files belong to root, so the process can only read them.
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=70s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT||3000}/api/health/live`).then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# Starts Node directly, because npm would not pass on SIGTERM.
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=150", "src/cli/start.ts"]
