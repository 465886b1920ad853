# The whole app in one image. See docs/operations.md for what it needs from the environment.
ARG NODE_IMAGE=node:26.10.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json ./packages/client/
COPY packages/emulators/package.json ./packages/emulators/
RUN npm ci --no-audit --no-fund
COPY . .
# Needs no environment: everything is read when the container starts.
RUN npm run build && rm -rf .next/cache .next/trace* .next/diagnostics

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json ./packages/client/
COPY packages/emulators/package.json ./packages/emulators/
# Optional packages are Node itself (the image has it), image codecs and SDK parts that nothing here loads.
# Source maps and types are two fifths of the rest.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund \
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
COPY packages/client ./packages/client
# Files belong to root: the process can read them and write nothing.
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=70s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT||3000}/api/health/live`).then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# Node itself, not npm: npm would swallow SIGTERM.
CMD ["node", "src/cli/start.ts"]
