package app

import (
	"context"
	"errors"

	"session/internal/lifecycle"

	"github.com/tidwall/gjson"
)

// QuestionOf is what a request asks, in words.
func QuestionOf(q lifecycle.Request) string {
	return gjson.GetBytes(q.Data, "question").String()
}

func (x *Sessions) enqueue(context.Context, lifecycle.Session, job) error {
	return errors.New("there is no queue yet")
}
