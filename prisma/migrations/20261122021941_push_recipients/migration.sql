-- CreateTable
CREATE TABLE "push_recipients" (
    "user_id" UUID NOT NULL,
    "message_id" UUID NOT NULL,

    CONSTRAINT "push_recipients_pkey" PRIMARY KEY ("user_id","message_id")
);

-- CreateIndex
CREATE INDEX "push_recipients_message_id_idx" ON "push_recipients"("message_id");

-- AddForeignKey
ALTER TABLE "push_recipients" ADD CONSTRAINT "push_recipients_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_recipients" ADD CONSTRAINT "push_recipients_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "push_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
