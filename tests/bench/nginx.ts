import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Returns true if Debian's nginx is installed. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).error === undefined
}

/** Starts nginx with the example of docs/operations.md, without TLS and its limit per address: all load comes from one. */
export function startNginx(dir: string, front: number, ports: number[]): ChildProcess {
  const config = join(dir, `nginx-${front}.conf`)
  writeFileSync(config, configText(dir, front, ports))
  return spawn('nginx', ['-e', join(dir, 'error.log'), '-p', dir, '-c', config], { stdio: 'inherit' })
}

function configText(dir: string, front: number, ports: number[]): string {
  return `daemon off; pid ${dir}/nginx-${front}.pid; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
  upstream app {
    ${ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join('\n    ')}
    keepalive 64;
    keepalive_timeout 50s;
  }
  server {
    listen 127.0.0.1:${front};
    location / {
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_connect_timeout 2s;
      proxy_read_timeout 65s;
      proxy_next_upstream error timeout http_502 http_503;
      proxy_next_upstream_tries 2;
    }
  }
}
`
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}
