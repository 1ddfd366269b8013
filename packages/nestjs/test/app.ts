import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Call } from '@headgate/test-suite';
import { type INestApplication, Module, type ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { onTestFinished } from 'vitest';

/** The platforms that Nest runs on. */
export const platforms = { Express: ExpressAdapter, Fastify: FastifyAdapter };

/** A running application, and a client for it. */
export class App {
  private constructor(readonly nest: INestApplication) {}

  static async start(
    platform: keyof typeof platforms | FastifyAdapter | ExpressAdapter,
    metadata: ModuleMetadata,
    prepare: (nest: INestApplication) => unknown = () => {},
    /** Whether closing the application cuts off running requests. */
    forceCloseConnections = true,
  ): Promise<App> {
    class Root {}
    Module(metadata)(Root);
    const adapter = typeof platform === 'string' ? new platforms[platform]() : platform;
    const options = { logger: false, abortOnError: false, forceCloseConnections } as const;
    const nest = await NestFactory.create(Root, adapter, options);
    onTestFinished(() => nest.close());
    await prepare(nest);
    await nest.listen(0, '127.0.0.1');
    return new App(nest);
  }

  call(path = '/', options = {}): Call {
    const { port } = (this.nest.getHttpServer() as Server).address() as AddressInfo;
    return new Call(port, path, options);
  }
}
